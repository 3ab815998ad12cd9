package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.session.OperationFixture;

/** Has many follow changes, of whom few are at work at the same time. */
class FollowerTurnsTest extends PersistentSearchTestCase {
  private static final int FOLLOWERS = 24;
  private static final int WORKERS = 4;

  private final Map<Client, Integer> following = new LinkedHashMap<>();

  private void followAll() {
    directory.operations.shareWorkers(() -> WORKERS);
    for (int i = 0; i < FOLLOWERS; i++) {
      Client client = directory.open();
      following.put(client, follow(client));
    }
    awaitFollowers(FOLLOWERS);
    Client root = directory.root();
    modify(root, TOP, "settled");
    following.forEach((client, id) -> client.entries(id, 1));
    eventually("all are at rest", () -> directory.server.strategy().inFlight() == 0);
  }

  @Test
  void shouldLetOthersInBetweenFollowersOfOneChange() {
    followAll();
    Client root = directory.root();
    Client neighbour = directory.open();
    HeldDispatch dispatch = new HeldDispatch();
    directory.server.switchTo(dispatch);
    int changed = root.send(describe(root, LEAF, "for all"));
    dispatch.run(0);
    assertThat(root.result(changed).result().code()).isEqualTo(ResultCode.SUCCESS);
    eventually("the writer wakes the first", () -> dispatch.size() == WORKERS / 2);
    int found =
        neighbour.send(
            new Request.Search(
                neighbour.nextId(),
                PEOPLE,
                Scope.BASE,
                DerefAliases.NEVER,
                0,
                0,
                false,
                OperationFixture.ALL,
                List.of(),
                List.of()));
    // First come, first served: it waits for those at work, and not for all who follow.
    for (int i = 0; i <= WORKERS / 2; i++) {
      assertThat(neighbour.find(found)).isNull();
      dispatch.run(0);
    }
    assertThat(neighbour.result(found).result().code()).isEqualTo(ResultCode.SUCCESS);
    eventually(
        "all have had their turns",
        () -> {
          while (dispatch.size() > 0) {
            assertThat(dispatch.size()).isLessThanOrEqualTo(WORKERS / 2);
            dispatch.run(0);
          }
          return following.entrySet().stream()
              .allMatch(each -> each.getKey().entries(each.getValue()).size() == 2);
        });
    following.forEach((client, id) -> assertThat(names(client.entries(id))).endsWith(LEAF));
  }

  /** One that waits for its client has no turn, and gets one when the client reads. */
  @Test
  void shouldPassOverThoseWhoseClientsDoNotRead() {
    followAll();
    Client root = directory.root();
    List<Client> slow = new ArrayList<>(following.keySet()).subList(0, FOLLOWERS / 2);
    slow.forEach(client -> client.reads = false);
    int changes = 20;
    List<String> all = new ArrayList<>(List.of(TOP));
    for (int i = 0; i < changes; i++) {
      addUnit(root, "n" + i, PEOPLE);
      all.add("ou=n" + i + "," + PEOPLE);
    }
    following.forEach(
        (client, id) -> {
          if (!slow.contains(client)) {
            assertThat(names(client.entries(id, all.size()))).isEqualTo(all);
          }
        });
    slow.forEach(Client::read);
    following.forEach(
        (client, id) -> assertThat(names(client.entries(id, all.size()))).isEqualTo(all));
  }

  @Test
  void shouldGiveTheTurnsOfThoseWhoLeaveToOthers() {
    followAll();
    Client root = directory.root();
    HeldDispatch dispatch = new HeldDispatch();
    directory.server.switchTo(dispatch);
    int changed = root.send(describe(root, LEAF, "for all"));
    dispatch.run(0);
    assertThat(root.result(changed).result().code()).isEqualTo(ResultCode.SUCCESS);
    List<Client> leaving = new ArrayList<>(following.keySet()).subList(0, FOLLOWERS - 1);
    leaving.forEach(Client::breakOff);
    Map.Entry<Client, Integer> last = List.copyOf(following.entrySet()).getLast();
    // The writer answers before it wakes anybody.
    eventually(
        "the last has its turn",
        () -> {
          while (dispatch.size() > 0) {
            dispatch.run(0);
          }
          return last.getKey().entries(last.getValue()).size() == 2;
        });
    assertThat(names(last.getKey().entries(last.getValue()))).endsWith(LEAF);
    eventually("one follows", () -> directory.operations.followers() == 1);
  }
}
