@0xd3a1f04c86b7e259;
# The binary form of a replay: one `Message` after another in the standard stream framing, the
# header first. `capnp decode replay.capnp Message < FILE` shows a whole file.
#
# Times are microseconds since the epoch, amounts (`milli`) thousandths of the resource's unit.
#
# Structs with fields that may be left out begin with `given`: bit n is set if the field with
# ordinal n is given. A field whose bit is clear has its default, whatever stands in its place;
# fields marked `required` have no bit and are always there. Defaults are zero, empty, the first
# enumerant or, for lists, structs and whatever "not given" is explained for, none. A writer sets
# the bit of a field only if its value is not the default, and sets fields in the order of their
# ordinals, so that equal content has equal bytes.
#
# Evolution: add fields (to `given` structs with a bit of their own) and union members at the end.
# Readers skip fields that they do not know and refuse events that they do not know.

struct Message {
  t @0 :Int64;              # zero in the header

  union {
    header @1 :Header;

    # State: between pushBegin and pushEnd these replace everything, elsewhere they add or update.
    configPush @2 :Config;
    resourceDefs @3 :ResourceDefs;
    sharedPush @4 :SharedPush;
    workersPush @5 :WorkersPush;
    jobsPush @6 :JobsPush;
    pushBegin @7 :PushBegin;
    pushEnd @8 :PushEnd;

    # Increments.
    jobNew @9 :Job;
    jobUpdate @10 :JobUpdate;
    jobRemove @11 :JobRemove;
    workerUpdate @12 :WorkerUpdate;
    valuesUpdate @13 :ValuesUpdate;
    sharedUpdate @14 :SharedUpdate;
    queueUpdate @15 :QueueUpdate;

    # The link to the controller.
    disconnect @16 :Disconnect;
    join @17 :Join;
    rebuilt @18 :Rebuilt;

    # A recorded round and what was decided in it.
    roundBegin @19 :RoundBegin;
    dispatch @20 :Dispatch;
    reasonSet @21 :ReasonSet;
    pend @22 :Pend;
    pendRun @23 :PendRun;
    roundSame @24 :RoundSame;
    roundEnd @25 :RoundEnd;

    # A checkpoint: a full push in a bracket of its own.
    snapshotBegin @26 :SnapshotBegin;
    snapshotEnd @27 :SnapshotEnd;
    held @28 :Held;
  }
}

struct Header {
  version @0 :UInt32;
  mode @1 :Mode;
  cluster @2 :Text;
  interval @3 :Int64;
  producer @4 :Text;
}

enum Mode {
  recorded @0;
  workload @1;
}

# ---- values ----

struct NamedValue {
  name @0 :Text;
  union {
    milli @1 :Int64;        # a consumable
    real @2 :Float64;
    text @3 :Text;
    flag @4 :Bool;
  }
}

struct NamedMilli {
  name @0 :Text;
  milli @1 :Int64;
}

# ---- configuration and resources ----

struct Config {
  queues @0 :List(Queue);
  limits @1 :List(Limit);
  groups @2 :List(Group);
  params @3 :Params;
}

struct Queue {
  given @0 :UInt32;
  name @1 :Text;            # required
  priority @2 :Int64;
  hosts @3 :List(Text);     # not given: all hosts
  active @4 :Bool;          # default true
  resreq @5 :Text;
}

struct Limit {
  given @0 :UInt32;
  name @1 :Text;            # required
  resource @2 :Text;        # required
  value @3 :Int64;          # required; milli
  users @4 :List(Text);
  perUser @5 :List(Text);
  queues @6 :List(Text);
  perQueue @7 :List(Text);
  projects @8 :List(Text);
  perProject @9 :List(Text);
  hosts @10 :List(Text);
  perHost @11 :List(Text);
}

struct Group {
  name @0 :Text;
  members @1 :List(Text);
}

struct Params {
  policy @0 :Text;
  spread @1 :Spread;
}

enum Spread {
  even @0;
  fill @1;
}

struct ResourceDefs {
  defs @0 :List(ResourceDef);
}

struct ResourceDef {
  given @0 :UInt32;
  name @1 :Text;            # required
  type @2 :ResourceType;
  scope @3 :ResourceScope;
  consumable @4 :Bool;
  unit @5 :Text;
  better @6 :Better;        # not given: more for consumables, less for others
}

enum ResourceType {
  numeric @0;
  string @1;
  boolean @2;
}

enum ResourceScope {
  host @0;
  shared @1;
}

enum Better {
  more @0;
  less @1;
}

struct SharedPush {
  values @0 :List(NamedValue);
}

# ---- hosts ----

struct WorkersPush {
  workers @0 :List(Worker);
}

struct Worker {
  given @0 :UInt32;
  name @1 :Text;            # required
  slots @2 :UInt32;
  status @3 :WorkerStatus;
  values @4 :List(NamedValue);
  frozen @5 :FrozenAccounts;
}

enum WorkerStatus {
  ok @0;
  closed @1;
  unavail @2;
  reconciling @3;
}

struct FrozenAccounts {
  amounts @0 :List(NamedMilli);
  limits @1 :List(NamedMilli);
}

# ---- jobs ----

struct JobsPush {
  jobs @0 :List(Job);
}

struct Job {
  given @0 :UInt32;
  id @1 :UInt64;            # required; array base in the low 32 bits, element above
  user @2 :Text;
  queue @3 :Text;
  project @4 :Text;
  priority @5 :Int64;
  queueTime @6 :Int64;      # not given: the time of the event
  resreq @7 :Text;
  minTasks @8 :UInt32;      # default 1
  maxTasks @9 :UInt32;      # not given: minTasks
  runTime @10 :Int64;       # not given: a workload never ends it
  hosts @11 :List(Text);    # not given: all hosts
  array @12 :ArrayRange;
  state @13 :JobState;
  startTime @14 :Int64;
  endTime @15 :Int64;
  allocs @16 :Allocation;
  decided @17 :Bool;        # this and the rest: in snapshots only
  reported @18 :Bool;
  main @19 :Text;
  set @20 :UInt32;
}

enum JobState {
  pend @0;
  psusp @1;
  run @2;
  susp @3;
  done @4;
  exit @5;
}

struct ArrayRange {
  first @0 :UInt32;
  last @1 :UInt32;
  step @2 :UInt32;
}

struct Allocation {
  hosts @0 :List(HostShare);
  shared @1 :List(NamedMilli);
}

struct HostShare {
  host @0 :Text;
  tasks @1 :UInt32;
  amounts @2 :List(NamedMilli);
}

# ---- increments ----

struct JobUpdate {
  changed @0 :UInt32;       # bit n: the field of Job with ordinal n changes
  job @1 :Job;              # the new values; what changes and is not given gets its default
}

struct JobRemove {
  id @0 :UInt64;
}

struct WorkerUpdate {
  given @0 :UInt32;
  name @1 :Text;            # required
  status @2 :WorkerStatus;
  slots @3 :UInt32;
}

struct ValuesUpdate {
  host @0 :Text;
  values @1 :List(NamedValue);
}

struct SharedUpdate {
  values @0 :List(NamedValue);
}

struct QueueUpdate {
  given @0 :UInt32;
  name @1 :Text;            # required
  priority @2 :Int64;
  active @3 :Bool;
  resreq @4 :Text;
  hosts @5 :List(Text);
  allHosts @6 :Bool;        # takes the list of hosts away
}

# ---- rounds and decisions ----

struct RoundBegin {
  round @0 :UInt32;
}

struct RoundEnd {
  round @0 :UInt32;
}

struct Dispatch {
  job @0 :UInt64;
  allocs @1 :Allocation;
  reconstructed @2 :Bool;
}

struct ReasonSet {
  set @0 :UInt32;
  entries @1 :List(ReasonEntry);
}

struct ReasonEntry {
  given @0 :UInt32;
  code @1 :Text;            # required
  resource @2 :Text;
  limit @3 :Text;           # name/instance
  clause @4 :Text;
  alternative @5 :UInt32;
  hosts @6 :List(HostRun);  # not given: the whole cluster
}

struct HostRun {
  first @0 :Text;
  last @1 :Text;            # null: `first` alone
}

struct Pend {
  given @0 :UInt32;
  job @1 :UInt64;           # required
  main @2 :Text;            # required
  set @3 :UInt32;
  reasons @4 :List(ReasonEntry);
}

struct PendRun {
  jobs @0 :List(JobRun);
  main @1 :Text;
  set @2 :UInt32;
}

struct JobRun {
  first @0 :UInt64;         # a plain job, or an element of an array
  last @1 :UInt64;          # included: the same, a later number, or a later element of the array
}

# ---- snapshots ----

struct SnapshotBegin {
  given @0 :UInt32;
  round @1 :UInt32;         # required
  link @2 :LinkState;
  nextRound @3 :Int64;      # time of the round that waits for the interval
}

enum LinkState {
  live @0;
  broken @1;
  rebuildPending @2;
}

struct Held {
  event @0 :Message;        # an increment, with its own time
}

# ---- markers without content (so far) ----

struct PushBegin {}
struct PushEnd {}
struct Disconnect {}
struct Join {}
struct Rebuilt {}
struct RoundSame {}
struct SnapshotEnd {}
