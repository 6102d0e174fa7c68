"""How a program ends: whatever goes wrong becomes one line on standard error and a status."""

from __future__ import annotations

import logging
from collections.abc import Callable

from xce_sim.errors import STATUS_ERROR, STATUS_INTERRUPTED, STATUS_OK, UserError
from xce_sim.render import program_views
from xce_sim.render.console import Console, OutputClosed, OutputFailed

_LOG = logging.getLogger("xce_sim")


def guarded_run(program: str, run: Callable[[Console, Console], int]) -> int:
    """Run a program on its two streams; whatever it raises becomes one line and a status."""
    output, errors = Console.of_stdout(), Console.of_stderr()
    try:
        status = run(output, errors)
        output.flush()
    except OutputFailed as error:
        errors.show(program_views.program_line(program, f"standard output: {error}"))
        status = STATUS_ERROR
    except OutputClosed:
        return STATUS_OK
    except UserError as error:
        errors.show(program_views.program_error(program, error))
        status = error.status
    except KeyboardInterrupt:
        errors.show(program_views.program_line(program, "interrupted"))
        status = STATUS_INTERRUPTED
    except OSError as error:
        _LOG.debug("the program ends", exc_info=True)
        errors.show(program_views.program_line(program, error.strerror or str(error)))
        status = STATUS_ERROR
    except Exception as error:  # noqa: BLE001  a defect is told in one line, with its traceback
        _LOG.exception("internal error")
        text = f"internal error: {type(error).__name__}: {error}"
        errors.show(program_views.program_line(program, text))
        status = STATUS_ERROR
    return status
