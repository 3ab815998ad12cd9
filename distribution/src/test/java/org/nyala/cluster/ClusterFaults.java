package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.nyala.cluster.FaultCluster.Member;
import org.nyala.error.ExitCode;
import org.nyala.loadtest.failover.ClusterLoad;
import org.nyala.process.FaultyDisk;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;

/**
 * Faults of a cluster whose clients go on: each begins when all is well, and ends so.
 *
 * <p>Confined to one thread.
 */
final class ClusterFaults implements AutoCloseable {
  /** Longer than any time-out of the members: elections, and the wait for a majority of 5 s. */
  private static final long LONG_MILLIS = 6_500;

  private static final int PAGE = 4096;

  private final FaultCluster cluster;
  private final Random random;
  private final ClusterLoad load;
  private final List<Event> events = new ArrayList<>();
  private final List<Long> kills = new ArrayList<>();

  /** The kinds of faults. */
  enum Kind {
    KILLED_LEADER,
    KILLED_FOLLOWER,
    STOPPED_LEADER,
    TRANSFERRED,
    CUT_LINKS,
    SLOW_LINK,
    FULL_DISK,
    WRONG_CLOCK,
    LOST_DISK,
    DELETED_WHILE_OPEN,
    OLDER_COPY,
    DAMAGED_META_PAGE,
    DAMAGED_LOG,
    ROLLING_RESTART,
    FOREIGN_MEMBER,
    MOVED_ADDRESS
  }

  private record Event(Kind kind, long startNanos, long endNanos) {}

  ClusterFaults(FaultCluster cluster, String name, long seed) throws Exception {
    this.cluster = cluster;
    this.random = new Random(seed);
    this.load =
        ClusterLoad.start(
            cluster.members.stream().map(Member::url).toList(),
            "ou=" + name + "," + FaultCluster.SUFFIX,
            cluster.isForwarding(),
            seed);
  }

  /** Lets a fault happen, and waits until all members are well again. */
  void happen(Kind kind) throws Exception {
    awaitChange();
    long start = load.nanos();
    System.out.println(kind + " at " + start / 1_000_000);
    switch (kind) {
      case KILLED_LEADER -> {
        kills.add(kill(cluster.leader(), true));
      }
      case KILLED_FOLLOWER -> kill(cluster.follower(), random.nextBoolean());
      case STOPPED_LEADER -> stopLeader();
      case TRANSFERRED -> transfer();
      case CUT_LINKS -> cutLinks();
      case SLOW_LINK -> slowLink();
      case FULL_DISK -> fillDisk();
      case WRONG_CLOCK -> setClock();
      case LOST_DISK -> loseDisk();
      case DELETED_WHILE_OPEN -> deleteWhileOpen();
      case OLDER_COPY -> putOlderCopy();
      case DAMAGED_META_PAGE -> damageMetaPage();
      case DAMAGED_LOG -> damageLog();
      case ROLLING_RESTART -> restartAll();
      case FOREIGN_MEMBER -> putForeignMember();
      case MOVED_ADDRESS -> moveAddress();
    }
    awaitChange();
    cluster.awaitWell();
    events.add(new Event(kind, start, load.nanos()));
  }

  /** Waits until a change is acknowledged from now on. */
  private void awaitChange() {
    long now = load.nanos();
    awaitChange(() -> load.lastAcknowledged() > now);
  }

  private void awaitChange(BooleanSupplier isSeen) {
    try {
      eventually("a change is acknowledged", isSeen::getAsBoolean);
    } catch (AssertionError e) {
      cluster.members.forEach(each -> System.out.println(each + ": " + each.status()));
      throw e;
    }
  }

  /** Lets a fault last: its length is part of the test. */
  private static void last(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private long kill(Member member, boolean isAwaited) throws IOException {
    long killed = load.nanos();
    member.kill();
    if (isAwaited) {
      awaitChange();
    }
    member.start();
    return killed;
  }

  private void stopLeader() throws Exception {
    Member leader = cluster.leader();
    leader.signal("STOP");
    last(LONG_MILLIS);
    awaitChange();
    leader.signal("CONT");
  }

  /** Leadership goes from one to the other while clients write. */
  private void transfer() {
    for (int i = 0; i < 3; i++) {
      Member former = cluster.leader();
      // The other may not catch up in time on a busy machine, or be elected without being asked.
      eventually(
          "another member leads",
          () -> {
            Member leader = cluster.leader();
            return leader != former || local(leader, "cluster", "transfer") == ExitCode.OK;
          });
      awaitChange();
    }
  }

  private void cutLinks() {
    Member leader = cluster.leader();
    List<Member> others = cluster.others(leader);
    Member other = others.get(random.nextInt(others.size()));
    int how = random.nextInt(5);
    switch (how) {
      case 0 -> cluster.cut(leader, other, true);
      case 1 -> cluster.cut(other, leader, true);
      case 2 -> {
        others.forEach(each -> cluster.cut(leader, each, true));
      }
      case 3 -> others.forEach(each -> cluster.cut(each, leader, true));
      default -> cluster.isolate(random.nextBoolean() ? leader : other, true);
    }
    last(500L + random.nextInt(4_000));
    cluster.members.forEach(each -> cluster.isolate(each, false));
  }

  private void slowLink() {
    Member leader = cluster.leader();
    long millis = 20L + random.nextInt(400);
    for (Member other : cluster.others(leader)) {
      if (random.nextBoolean()) {
        cluster.delay(leader, other, millis);
      }
      if (random.nextBoolean()) {
        cluster.delay(other, leader, millis);
      }
    }
    last(1_000L + random.nextInt(2_000));
    for (Member from : cluster.members) {
      cluster.others(from).forEach(to -> cluster.delay(from, to, 0));
    }
  }

  /** Only the member stops whose disk is full, says so, and goes on when there is room. */
  private void fillDisk() throws Exception {
    Member full = random.nextBoolean() ? cluster.leader() : cluster.follower();
    String part = List.of("/data.mdb", "/cluster/", "/").get(events.size() % 3);
    full.disk.fail(FaultyDisk.Call.WRITE, FaultyDisk.NO_SPACE, part);
    eventually(full + " stops: " + part, () -> full.status().contains("stopped"));
    assertThat(full.status()).containsAnyOf("the disk is full", "No space left on device");
    awaitChange();
    for (Member other : cluster.others(full)) {
      assertThat(other.status()).doesNotContain("stopped");
    }
    assertThat(full.contents()).isNotEmpty();
    full.stop();
    full.disk.heal();
    full.start();
  }

  /** Clocks are apart; one that has leapt ahead makes no change, and another member may lead. */
  private void setClock() throws Exception {
    Member wrong = one();
    if (random.nextBoolean()) {
      for (Member member : cluster.members) {
        member.clock.set(Duration.ofMinutes(random.nextInt(24 * 60) - 12 * 60));
      }
      last(1_000);
    } else if (random.nextBoolean()) {
      wrong.clock.set(Duration.ofDays(-40));
      last(1_000);
    } else {
      wrong.clock.set(Duration.ofDays(40));
      long now = load.nanos();
      // On a busy machine it may be elected again, and makes no change then.
      awaitChange(
          () -> {
            if (wrong.status().contains("role      leader")) {
              int _ = local(wrong, "cluster", "transfer");
              return false;
            }
            return load.lastAcknowledged() > now;
          });
    }
    awaitChange();
    for (Member member : cluster.members) {
      assertThat(member.status()).doesNotContain("stopped");
      member.clock.set(Duration.ZERO);
    }
  }

  private Member one() {
    return random.nextBoolean() ? cluster.leader() : cluster.follower();
  }

  /** A server that has lost everything belongs to no cluster, and comes back as a new member. */
  private void loseDisk() throws Exception {
    Member lost = one();
    String id = lost.id();
    lost.kill();
    FaultCluster.delete(lost.data());
    lost.start();
    assertThat(lost.status()).contains("belongs to no cluster yet");
    lost.stop();
    cluster.rejoin(lost, id);
  }

  /** A member stops whose files are deleted while it runs: it could keep nothing. */
  private void deleteWhileOpen() throws Exception {
    Member lost = one();
    String id = lost.id();
    FaultCluster.delete(lost.data());
    eventually(lost + " says that it stops", () -> lost.process.log().contains("has stopped: "));
    System.out.println(lost.process.log());
    awaitChange();
    lost.kill();
    cluster.rejoin(lost, id);
  }

  /** A member whose disk has an older state than it had acknowledged is found. */
  private void putOlderCopy() throws Exception {
    Member older = cluster.follower();
    String id = older.id();
    older.stop();
    Path copy = older.folder.resolve("older");
    FaultCluster.delete(copy);
    FaultCluster.copy(older.data(), copy);
    older.start();
    awaitChange();
    cluster.awaitWell();
    older.kill();
    FaultCluster.delete(older.data());
    Files.move(copy, older.data());
    assertThat(older.refusal()).contains("it is an older copy; remove the member");
    cluster.rejoin(older, id);
  }

  /**
   * A damaged meta page is found by verify, or it does no harm. A start alone does not find all:
   * pages have no checksums.
   */
  private void damageMetaPage() throws Exception {
    Member damaged = one();
    String id = damaged.id();
    damaged.kill();
    awaitChange();
    String where = "";
    try (RandomAccessFile file =
        new RandomAccessFile(damaged.data().resolve("data.mdb").toFile(), "rw")) {
      int pages = 1 + random.nextInt(3);
      for (int page = 0; page < 2; page++) {
        if ((pages >> page & 1) == 1) {
          // The header of a page, then the meta data.
          int at = page * PAGE + random.nextInt(16 + 136);
          file.seek(at);
          int before = file.read();
          file.seek(at);
          file.write(before ^ 1 << random.nextInt(8));
          where += " " + at;
        }
      }
    }
    if (local(damaged, "verify") == ExitCode.OK) {
      startOrRejoin(damaged, id, "meta page" + where);
    } else {
      cluster.rejoin(damaged, id);
    }
  }

  /** The log of a member is cut, or older, or torn. */
  private void damageLog() throws Exception {
    Member damaged = one();
    String id = damaged.id();
    damaged.kill();
    List<Path> segments;
    try (Stream<Path> files = Files.list(damaged.log())) {
      segments = files.filter(each -> each.getFileName().toString().startsWith("log_")).toList();
    }
    Path last =
        segments.stream()
            .filter(each -> each.toString().contains("inprogress"))
            .findFirst()
            .orElse(segments.getFirst());
    int how = random.nextInt(4);
    long length = used(last);
    try (RandomAccessFile file = new RandomAccessFile(last.toFile(), "rw")) {
      switch (how) {
        case 0 -> file.setLength(Math.max(8, length - 1 - random.nextInt(2_000)));
        case 1 -> {
          long from = Math.max(8, length - 1 - random.nextInt(200));
          file.seek(from);
          file.write(new byte[(int) (length - from)]);
        }
        case 2 -> {
          file.seek(Math.max(8, length - 1 - random.nextInt(2_000)));
          file.write(random.nextInt(256));
        }
        default -> Files.delete(last);
      }
    }
    awaitChange();
    startOrRejoin(damaged, id, "log, way " + how + " of " + segments.size() + " " + last);
  }

  /** Returns the length of a file without the zeros at its end. */
  private static long used(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int length = bytes.length;
    while (length > 0 && bytes[length - 1] == 0) {
      length--;
    }
    return length;
  }

  private void startOrRejoin(Member damaged, String id, String what) throws Exception {
    String refusal = damaged.refusal();
    System.out.println(what + ": " + (refusal.isEmpty() ? damaged.status() : refusal));
    if (refusal.isEmpty() && !damaged.status().contains("stopped")) {
      return;
    }
    if (refusal.isEmpty()) {
      damaged.stop();
    }
    cluster.rejoin(damaged, id);
  }

  /** Each member is stopped and started, one after the other, as for an upgrade. */
  private void restartAll() throws Exception {
    for (Member member : cluster.members) {
      // On a busy machine the other may not be found to lead in time.
      eventually(
          "another member leads",
          () -> {
            boolean isLeading = member.status().contains("role      leader");
            return !isLeading || local(member, "cluster", "transfer") == ExitCode.OK;
          });
      member.stop();
      awaitChange();
      member.start();
      cluster.awaitWell();
    }
  }

  private static int local(Member member, String... words) {
    return new LocalCommands().run(member.conf(), words);
  }

  /** A server of another cluster answers at the address of a member. */
  private void putForeignMember() throws Exception {
    Member away = cluster.follower();
    away.kill();
    Member foreign = cluster.foreign(away);
    try {
      foreign.start();
      // See the comment where the cluster is formed.
      local(foreign, "cluster", "init");
      awaitChange();
      Member leader = cluster.leader();
      eventually("the member is missed", () -> leader.status().contains("has not answered for"));
      assertThat(foreign.status()).contains("role      leader").doesNotContain("stopped");
      foreign.stop();
    } finally {
      foreign.end();
    }
    away.start();
  }

  /** A member whose address is another one in its configuration says so, and does not start. */
  private void moveAddress() throws Exception {
    Member moved = one();
    String id = moved.id();
    moved.stop();
    int former = moved.peerPort;
    moved.peerPort = FreePorts.take();
    moved.configure();
    String refusal = moved.refusal();
    System.out.println(refusal);
    assertThat(refusal).contains("The other members reach this one at ", ":" + former);
    cluster.link();
    cluster.rejoin(moved, id);
  }

  /** Ends the load, and requires that nothing is lost and that all members are equal. */
  void finish() throws Exception {
    load.stop();
    cluster.awaitWell();
    cluster.awaitEqual();
    ClusterLoad.Result result = load.check();
    Map<Kind, long[]> sums = new EnumMap<>(Kind.class);
    for (Event each : events) {
      long[] sum = sums.computeIfAbsent(each.kind, _ -> new long[2]);
      sum[0]++;
      sum[1] += load.acknowledged(each.startNanos, each.endNanos);
    }
    sums.forEach(
        (kind, sum) ->
            System.out.println(
                kind
                    + ": faults "
                    + sum[0]
                    + ", writes acknowledged "
                    + sum[1]
                    + ", lost "
                    + result.findings().size()));
    System.out.println(
        "all: faults "
            + events.size()
            + ", writes acknowledged "
            + result.acknowledged()
            + ", unknown "
            + result.unknown()
            + ", lost "
            + result.findings().size()
            + "; "
            + (cluster.isForwarding() ? "forward" : "refer")
            + "; "
            + result.summary());
    if (!kills.isEmpty()) {
      System.out.println(
          "gaps after SIGKILL of the leader, ms: "
              + kills.stream().map(load::millisToWrite).sorted().toList());
    }
    assertThat(result.findings()).isEmpty();
    assertThat(result.violations()).isEmpty();
    cluster.stopAndCompare();
  }

  @Override
  public void close() {
    load.close();
  }
}
