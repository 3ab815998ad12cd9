package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.ClusterOfProcesses.Member;

/**
 * A leader that stands still, is deposed meanwhile, and goes on: it refuses nothing by the entries
 * that it had, neither to its own clients nor to those whose changes others have passed on to it.
 */
@Tag("long")
@Timeout(600)
final class DeposedLeaderTest {
  private static final int ROUNDS = 5;
  private static final String TOP = ClusterOfProcesses.ENTRY;

  /** The results that say nothing of entries: made, not made, or not known. */
  private static final List<ResultCode> TRUE =
      List.of(ResultCode.SUCCESS, ResultCode.UNAVAILABLE, ResultCode.BUSY, ResultCode.SERVER_DOWN);

  @TempDir Path folder;

  private ClusterOfProcesses cluster;

  private interface Request {
    void send(LDAPConnection client) throws LDAPException;
  }

  @BeforeEach
  void form() throws Exception {
    cluster = new ClusterOfProcesses(folder, "writes = forward, answerSeconds = 25").form(3);
  }

  @AfterEach
  void end() {
    if (cluster != null) {
      cluster.members().forEach(Member::kill);
    }
  }

  private static ResultCode result(LDAPConnection client, Request request) {
    try {
      request.send(client);
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private static void add(LDAPConnection client, String name) throws LDAPException {
    client.add(
        "ou=" + name + "," + TOP,
        new Attribute("objectClass", "organizationalUnit"),
        new Attribute("ou", name));
  }

  private static void describe(LDAPConnection client, String name) throws LDAPException {
    client.modify(
        "ou=" + name + "," + TOP,
        new Modification(ModificationType.REPLACE, "description", "by " + name));
  }

  private static void succeed(LDAPConnection client, Request request) {
    eventually("the change is made", () -> result(client, request) == ResultCode.SUCCESS);
  }

  /** Sends requests to a leader that stands still; returns what they are answered in the end. */
  private List<ResultCode> deposed(int round) throws Exception {
    Member leader = cluster.leader();
    List<Member> others = cluster.members().stream().filter(each -> each != leader).toList();
    String absent = "absent" + round;
    String present = "present" + round;
    List<LDAPConnection> clients = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        LDAPConnection at = others.get(1).connect()) {
      succeed(at, client -> add(client, present));
      // Two of each go to the leader itself, and two to a member that passes them on.
      for (int i = 0; i < 4; i++) {
        clients.add((i < 2 ? leader : others.getFirst()).connect());
      }
      leader.signal("STOP");
      List<Future<ResultCode>> asked = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        LDAPConnection client = clients.get(i);
        Request request = i % 2 == 0 ? c -> describe(c, absent) : c -> add(c, present);
        asked.add(threads.submit(() -> result(client, request)));
      }
      // The others elect another one, at which the opposite of what the first one has becomes true.
      eventually("another one leads", () -> others.stream().anyMatch(Member::isLeading));
      succeed(at, client -> add(client, absent));
      succeed(at, client -> client.delete("ou=" + present + "," + TOP));
      leader.signal("CONT");
      List<ResultCode> results = new ArrayList<>();
      for (Future<ResultCode> each : asked) {
        results.add(each.get());
      }
      return results;
    } finally {
      clients.forEach(LDAPConnection::close);
    }
  }

  @Test
  void shouldRefuseNothingByTheEntriesThatADeposedLeaderHad() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      List<ResultCode> results = deposed(round);
      System.out.println("round " + round + ": " + results);
      // A second one that adds the entry may find it added by the first.
      assertThat(TRUE).contains(results.get(0), results.get(2));
      List<ResultCode> adds = new ArrayList<>(List.of(results.get(1), results.get(3)));
      if (adds.contains(ResultCode.SUCCESS)) {
        adds.remove(ResultCode.ENTRY_ALREADY_EXISTS);
      }
      assertThat(TRUE).containsAll(adds);
    }
  }
}
