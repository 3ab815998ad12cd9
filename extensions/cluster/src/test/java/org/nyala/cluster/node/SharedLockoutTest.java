package org.nyala.cluster.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.GuessingLimits;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.UpdateFixture;

/** Wrong passwords at several members, which count for all. */
final class SharedLockoutTest {
  private static final String POLICY = "cn=policy," + UpdateFixture.TOP;
  private static final int MOST = 6;
  private static final int GRACE = 3;

  /** The wrong passwords that the budget of a name has room for: more than one test needs. */
  private static final int NAME = 400;

  private static final AccessPolicy ACCESS =
      new AccessPolicy(true)
          .withGuessing(new GuessingLimits(1_000, NAME, NAME, 600))
          .withPasswordPolicy(PolicySettings.NONE.by(UpdateFixture.dn(POLICY)));

  @TempDir static Path folder;
  private static LiveCluster cluster;

  @BeforeAll
  static void form() throws Exception {
    Logger.getLogger("org.nyala").setLevel(Level.OFF);
    cluster = formed(folder);
  }

  private static LiveCluster formed(Path home) throws Exception {
    LiveCluster formed = new LiveCluster(home, ACCESS, new Writes(true, 1_000), 5).form();
    add(
        formed.leader().root(),
        POLICY,
        "objectClass=device",
        "objectClass=pwdPolicy",
        "cn=policy",
        "pwdAttribute=2.5.4.35",
        "pwdLockout=TRUE",
        "pwdMaxFailure=" + MOST);
    return formed;
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void add(Client root, String name, String... attributes) {
    assertThat(root.add(name, attributes)).as(name).isEqualTo(ResultCode.SUCCESS);
  }

  private static String name(String user) {
    return "cn=" + user + "," + UpdateFixture.TOP;
  }

  /** Adds a user, and waits until all members have it. */
  private static void user(LiveCluster where, String user, String... further) {
    List<String> attributes =
        new ArrayList<>(
            List.of("objectClass=person", "cn=" + user, "sn=Smith", "userPassword=right"));
    attributes.addAll(List.of(further));
    add(where.leader().root(), name(user), attributes.toArray(String[]::new));
    for (LiveCluster.Member each : where.members) {
      eventually("it is everywhere", () -> each.directory.holds(name(user)));
    }
  }

  private static int count(LiveCluster.Member member, String user, String attribute) {
    return member.directory.values(name(user), attribute).size();
  }

  private static ResultCode bind(LiveCluster.Member member, String user, String password) {
    Client client = member.directory.open();
    Request.Bind bind =
        new Request.Bind(client.nextId(), 3, name(user), null, password.getBytes(UTF_8), List.of());
    return client.ask(bind).result().code();
  }

  private static long refusedLocked() {
    return cluster.members.stream()
        .mapToLong(each -> each.directory.server.metrics().accounts().refusedLocked().sum())
        .sum();
  }

  @Test
  void shouldLockEverywhereAfterWrongPasswordsAtAnyMember() {
    user(cluster, "ann");
    for (int i = 0; i < MOST; i++) {
      LiveCluster.Member member = cluster.members.get(i % cluster.members.size());
      assertThat(bind(member, "ann", "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      // Whoever is told has it on record.
      assertThat(count(member, "ann", "pwdFailureTime")).isEqualTo(i + 1);
    }
    for (LiveCluster.Member each : cluster.members) {
      eventually("locked", () -> count(each, "ann", "pwdAccountLockedTime") == 1);
      assertThat(bind(each, "ann", "right")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
  }

  @Test
  void shouldForgetThemEverywhereAfterTheRightPasswordAtAnyMember() {
    user(cluster, "bob");
    for (LiveCluster.Member each : cluster.members) {
      assertThat(bind(each, "bob", "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    assertThat(bind(cluster.follower(), "bob", "right")).isEqualTo(ResultCode.SUCCESS);
    for (LiveCluster.Member each : cluster.members) {
      eventually("forgotten", () -> count(each, "bob", "pwdFailureTime") == 0);
    }
  }

  @Test
  void shouldLookAtFewMorePasswordsThanThePolicyAllowsIfAllGuessAtOnce() throws Exception {
    user(cluster, "carl");
    long before = refusedLocked();
    AtomicInteger told = new AtomicInteger();
    List<Thread> guessing = new ArrayList<>();
    for (int i = 0; i < 15 * cluster.members.size(); i++) {
      LiveCluster.Member member = cluster.members.get(i % cluster.members.size());
      guessing.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    if (bind(member, "carl", "wrong") == ResultCode.INVALID_CREDENTIALS) {
                      told.incrementAndGet();
                    }
                  }));
    }
    for (Thread each : guessing) {
      each.join();
    }
    assertThat(told.get() - (refusedLocked() - before))
        .isBetween((long) MOST, (long) MOST + cluster.members.size() - 1);
    assertThat(bind(cluster.follower(), "carl", "right")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }

  @Test
  void shouldCountGraceLoginsOfAllMembers() {
    String policy = "cn=grace," + UpdateFixture.TOP;
    add(
        cluster.leader().root(),
        policy,
        "objectClass=device",
        "objectClass=pwdPolicy",
        "cn=grace",
        "pwdAttribute=2.5.4.35",
        "pwdMaxAge=1",
        "pwdGraceAuthNLimit=" + GRACE);
    user(cluster, "dora", "pwdPolicySubentry=" + policy);
    Instant expired = Instant.now().plusSeconds(2);
    eventually("the password has expired", () -> Instant.now().isAfter(expired));
    for (int i = 0; i < GRACE; i++) {
      LiveCluster.Member member = cluster.members.get(i % cluster.members.size());
      assertThat(bind(member, "dora", "right")).isEqualTo(ResultCode.SUCCESS);
      int uses = i + 1;
      for (LiveCluster.Member each : cluster.members) {
        eventually("recorded", () -> count(each, "dora", "pwdGraceUseTime") == uses);
      }
    }
    for (LiveCluster.Member each : cluster.members) {
      assertThat(bind(each, "dora", "right")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
  }

  @Test
  void shouldSpendTheBudgetOfNameAtAllMembers() {
    LiveCluster.Member here = cluster.follower();
    for (int i = 0; i < NAME; i++) {
      assertThat(bind(here, "nobody", "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    for (LiveCluster.Member each : cluster.members) {
      AtomicInteger looks = new AtomicInteger();
      eventually(
          "spent",
          () -> {
            looks.incrementAndGet();
            return bind(each, "nobody", "wrong") == ResultCode.BUSY;
          });
      // Each look spends the budget, too.
      assertThat(looks.get()).isLessThan(NAME / 2);
    }
  }

  @Test
  void shouldCountInMemoryWithoutMajority(@TempDir Path home) throws Exception {
    try (LiveCluster alone = formed(home)) {
      user(alone, "eve");
      LiveCluster.Member left = alone.follower();
      for (LiveCluster.Member each : alone.members) {
        if (each != left) {
          each.stop();
        }
      }
      assertThat(bind(left, "eve", "right")).isEqualTo(ResultCode.SUCCESS);
      for (int i = 0; i < MOST; i++) {
        assertThat(bind(left, "eve", "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      }
      assertThat(bind(left, "eve", "right")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
  }
}
