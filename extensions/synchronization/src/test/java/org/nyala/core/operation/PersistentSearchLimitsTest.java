package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.TOP;

import org.junit.jupiter.api.Test;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory.Client;

/** The limits of persistent searches: their number, their requests, their backlog, their memory. */
class PersistentSearchLimitsTest extends PersistentSearchTestCase {
  @Test
  void shouldRefuseMoreThanTheLimitOfAConnectionAndMakeWayForOthers() {
    directory.close();
    directory = live("adaptive", limits(2, 1, 1 << 20));
    Client first = directory.open();
    Client second = directory.open();
    Client third = directory.open();
    int oldest = follow(first);
    awaitFollowers(1);
    assertThat(first.result(follow(first)).result().code())
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    int kept = follow(second);
    awaitFollowers(2);
    int newcomer = follow(third);
    assertThat(first.result(oldest).result().code()).isEqualTo(ResultCode.BUSY);
    awaitFollowers(2);
    assertThat(second.find(kept)).isNull();
    assertThat(third.find(newcomer)).isNull();
  }

  @Test
  void shouldEndASearchWhoseClientDoesNotRead() {
    directory.close();
    directory = live("striped", limits(2, 2, 10_000));
    Client slow = directory.open();
    Client quick = directory.open();
    Client root = directory.root();
    int lost = follow(slow);
    int kept = follow(quick);
    awaitFollowers(2);
    modify(root, TOP, "settled");
    slow.reads = false;
    for (int i = 0; i < 100; i++) {
      modify(root, LEAF, "number " + i);
      quick.entries(kept, i + 1);
    }
    awaitFollowers(1);
    slow.read();
    assertThat(slow.result(lost).result().code()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(quick.find(kept)).isNull();
  }

  @Test
  void shouldRefuseMoreThanAnIdentityMayHave() {
    directory.close();
    directory = live("striped", TestLimits.with(ServerLimits.DEFAULT, held(1, 256 * 1024)));
    Client first = directory.root();
    Client second = directory.root();
    Client other = directory.open();
    follow(first);
    awaitFollowers(1);
    assertThat(second.result(follow(second)).result().code())
        .as("of the same identity")
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    follow(other);
    awaitFollowers(2);
    first.breakOff();
    awaitFollowers(1);
    follow(second);
    awaitFollowers(2);
  }

  @Test
  void shouldRefuseARequestThatIsTooLargeToStand() {
    directory.close();
    directory = live("striped", TestLimits.with(ServerLimits.DEFAULT, held(9, 10_000)));
    Client client = directory.open();
    FilterNode large = equal("description", "x".repeat(2_000));
    Request.Search refused = search(client, TOP, Scope.SUBTREE, large, ALL, true);
    assertThat(client.ask(refused).result().code()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    awaitFollowers(0);
    client.send(search(client, TOP, Scope.SUBTREE, equal("description", "x"), ALL, true));
    awaitFollowers(1);
  }

  @Test
  void shouldBeBusyWhereThereIsNoMemoryForAnother() {
    Client client = directory.open();
    MemoryAccount others = directory.server.memory().open("others");
    others.take(directory.server.memory().bounds().wholeBytes());
    assertThat(client.result(follow(client)).result().code()).isEqualTo(ResultCode.BUSY);
    awaitFollowers(0);
    others.giveBack(others.held());
    follow(client);
    awaitFollowers(1);
  }

  private static ServerLimits.MemoryLimits held(int perIdentity, int requestBytes) {
    ServerLimits.MemoryLimits d = ServerLimits.MemoryLimits.DEFAULT;
    return new ServerLimits.MemoryLimits(
        d.mebibytes(),
        d.ownerPercent(),
        d.connectionPercent(),
        d.operationMebibytes(),
        d.fullPercent(),
        d.requestElements(),
        d.assertionBytes(),
        perIdentity,
        requestBytes);
  }

  private static ServerLimits limits(int searches, int perConnection, int bytes) {
    ServerLimits.StandingLimits standing =
        new ServerLimits.StandingLimits(100, 4, 100, 1 << 20, searches, perConnection, bytes);
    return TestLimits.with(ServerLimits.DEFAULT, standing);
  }
}
