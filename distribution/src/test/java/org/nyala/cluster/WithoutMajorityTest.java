package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.DontUseCopyRequestControl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.ClusterOfProcesses.Member;

/** A member whose two others are stopped: it answers in time, and by no old entries. */
@Tag("long")
@Timeout(600)
final class WithoutMajorityTest {
  private static final int AT_ONCE = 4;
  private static final int ANSWER_SECONDS = 6;

  /** The answer time, the two seconds of the leader's, and room for a busy machine. */
  private static final long IN_TIME_MILLIS = 14_000;

  /** Four copies of it are in memory for each change that is passed on. */
  private static final int VALUE_BYTES = 200_000;

  @TempDir Path folder;

  private ClusterOfProcesses cluster;
  private Member leader;
  private List<Member> others;

  private record Answer(ResultCode code, String message, long millis) {}

  private interface Request {
    void send(LDAPConnection client) throws LDAPException;
  }

  /** Elections are slow, so that a leader that is cut off goes on to believe in itself. */
  @BeforeEach
  void form() throws Exception {
    cluster =
        new ClusterOfProcesses(
                folder,
                "electionMillis = 1500, writes = forward, forwardsAtOnce = %d, answerSeconds = %d"
                    .formatted(AT_ONCE, ANSWER_SECONDS))
            .form(3);
    leader = cluster.leader();
    others = cluster.members().stream().filter(each -> each != leader).toList();
  }

  @AfterEach
  void end() {
    if (cluster != null) {
      cluster.members().forEach(Member::kill);
    }
  }

  private static Answer answer(LDAPConnection client, Request request) {
    long begin = System.nanoTime();
    ResultCode code = ResultCode.SUCCESS;
    String message = "";
    try {
      request.send(client);
    } catch (LDAPException e) {
      code = e.getResultCode();
      message = String.valueOf(e.getMessage());
    }
    return new Answer(code, message, Duration.ofNanos(System.nanoTime() - begin).toMillis());
  }

  /** Sends requests at once, each over a connection of its own; returns the answers. */
  private static List<Answer> atOnce(List<LDAPConnection> clients, List<Request> requests)
      throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Answer>> sent = new ArrayList<>();
      for (int i = 0; i < requests.size(); i++) {
        LDAPConnection client = clients.get(i);
        Request request = requests.get(i);
        sent.add(threads.submit(() -> answer(client, request)));
      }
      List<Answer> answers = new ArrayList<>();
      for (Future<Answer> each : sent) {
        answers.add(each.get());
      }
      return answers;
    }
  }

  private static List<LDAPConnection> clients(Member member, int count) throws LDAPException {
    List<LDAPConnection> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(member.connect());
    }
    return clients;
  }

  private static Request change(String name, Control... controls) {
    return client ->
        client.modify(
            new ModifyRequest(
                name,
                List.of(
                    new Modification(
                        ModificationType.REPLACE, "description", "x".repeat(VALUE_BYTES))),
                controls));
  }

  private static Request current() throws LDAPException {
    SearchRequest search =
        new SearchRequest(
            ClusterOfProcesses.ENTRY, SearchScope.BASE, "(objectClass=*)", "description");
    search.addControl(new DontUseCopyRequestControl());
    return client -> assertThat(client.search(search).getEntryCount()).isOne();
  }

  /** Returns a number of the metrics of a member, by the end of its name. */
  private static double metric(Member member, String name) throws Exception {
    Matcher found =
        Pattern.compile("(?m)^\\w*" + name + "(?:\\{[^}]*})? (\\S+)$")
            .matcher(member.get("/metrics").body());
    assertThat(found.find()).as(name).isTrue();
    return Double.parseDouble(found.group(1));
  }

  @Test
  void shouldAnswerBusyBeyondTheBoundAndGiveAllBack() throws Exception {
    Member follower = others.getFirst();
    leader.signal("STOP");
    others.getLast().signal("STOP");
    List<LDAPConnection> clients = clients(follower, 3 * AT_ONCE + 1);
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < 3 * AT_ONCE; i++) {
      requests.add(change(ClusterOfProcesses.ENTRY));
    }
    requests.add(current());
    List<Answer> answers = atOnce(clients, requests);
    Answer read = answers.removeLast();
    assertThat(read.code).as("%s", read).isEqualTo(ResultCode.UNAVAILABLE);
    assertThat(read.millis).isLessThan(IN_TIME_MILLIS);
    List<Answer> busy = answers.stream().filter(each -> each.code == ResultCode.BUSY).toList();
    assertThat(busy).as("%s", answers).hasSize(2 * AT_ONCE);
    assertThat(busy).allMatch(each -> each.millis < ANSWER_SECONDS * 1_000L);
    answers.removeAll(busy);
    assertThat(answers)
        .hasSize(AT_ONCE)
        .allMatch(each -> each.code == ResultCode.UNAVAILABLE)
        .allMatch(each -> each.millis < IN_TIME_MILLIS);
    // Reads that may be old are answered.
    assertThat(clients.getFirst().getEntry(ClusterOfProcesses.ENTRY)).isNotNull();
    clients.forEach(LDAPConnection::close);

    leader.signal("CONT");
    others.getLast().signal("CONT");
    cluster.leader();
    for (Member each : cluster.members()) {
      eventually("nothing is on its way", () -> metric(each, "changes_on_their_way") == 0);
      eventually("memory is given back", () -> metric(each, "memory_held_bytes") < VALUE_BYTES);
    }
    // The permits are there again, those of the former leader too.
    String former = leader.id();
    eventually(
        "the former leader leads",
        () -> leader.isLeading() || isTransferred(former) && leader.isLeading());
    for (Member each : cluster.members()) {
      List<LDAPConnection> again = clients(each, AT_ONCE);
      List<Request> changes = requests.subList(0, AT_ONCE);
      eventually(
          "all are made at once",
          () -> atOnce(again, changes).stream().allMatch(made -> made.code == ResultCode.SUCCESS));
      again.forEach(LDAPConnection::close);
    }
  }

  private boolean isTransferred(String to) throws Exception {
    return !cluster.leader().run("cluster", "transfer", to).isEmpty();
  }

  @Test
  void shouldRefuseAndReadNothingByEntriesThatMayBeOld() throws Exception {
    List<LDAPConnection> clients = clients(leader, 4);
    List<Request> requests =
        List.of(
            current(),
            change("ou=none," + ClusterOfProcesses.ENTRY),
            change(ClusterOfProcesses.ENTRY, new AssertionRequestControl("(description=none)")),
            client -> client.delete("ou=none," + ClusterOfProcesses.ENTRY));
    List<ResultCode> known =
        List.of(
            ResultCode.SUCCESS,
            ResultCode.NO_SUCH_OBJECT,
            ResultCode.ASSERTION_FAILED,
            ResultCode.NO_SUCH_OBJECT);
    assertThat(atOnce(clients, requests)).extracting(Answer::code).isEqualTo(known);
    for (Member other : others) {
      other.signal("STOP");
    }
    assertThat(atOnce(clients, requests))
        .allMatch(each -> each.code == ResultCode.UNAVAILABLE)
        .allMatch(each -> each.millis < IN_TIME_MILLIS);
    assertThat(clients.getFirst().getEntry(ClusterOfProcesses.ENTRY)).isNotNull();
    for (Member other : others) {
      other.signal("CONT");
    }
    cluster.leader();
    eventually(
        "all is known again",
        () -> atOnce(clients, requests).stream().map(Answer::code).toList().equals(known));
    clients.forEach(LDAPConnection::close);
  }
}
