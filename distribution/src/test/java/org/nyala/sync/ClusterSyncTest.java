package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.LiveMembers;
import org.nyala.cluster.LiveMembers.Member;
import org.nyala.core.Patience;
import org.nyala.sync.SyncCopy.Content;
import org.nyala.sync.SyncCopy.Held;

/** Tests those who follow the changes of a cluster at its members, while leadership changes. */
@Timeout(300)
class ClusterSyncTest {
  private static final int UNITS = 5;
  private static final int MOVES = 12;
  private static final int ROUNDS = 3;
  private static final String REFRESH = "1.3.6.1.4.1.1466.101.119.1";
  private static final Content ALL = new Content(TOP, SearchScope.SUB, "(objectClass=*)");

  @TempDir static Path folder;
  private static LiveMembers members;

  @BeforeAll
  static void form() throws Exception {
    String more =
        "uniqueness = [{ attributes = [uid] }]\n"
            + "dynamicEntries { enabled = true, checkIntervalSeconds = 1 }";
    members = LiveMembers.form(folder, 3, _ -> more);
    try (LDAPConnection client = members.leader().connect()) {
      client.add("dn: " + TOP, "objectClass: domain", "dc: example");
      for (int i = 0; i < UNITS; i++) {
        client.add("dn: " + name(i), "objectClass: organizationalUnit", "ou: unit" + i);
      }
    }
  }

  @AfterAll
  static void stop() {
    members.close();
  }

  private static String name(int number) {
    return "ou=unit" + number + "," + TOP;
  }

  private static boolean tryPut(Member member, int number, String value) {
    try (LDAPConnection client = member.connect()) {
      client.modify(name(number), new Modification(ModificationType.REPLACE, "description", value));
      return true;
    } catch (LDAPException e) {
      return false;
    }
  }

  /** Changes an entry at the leader, as soon as there is one that makes the change. */
  private static void put(int number, String value) {
    eventually(value, () -> tryPut(members.leader(), number, value));
  }

  /** Follows changes until its connection ends. Thread-safe. */
  @SuppressWarnings("serial")
  private static final class Heard implements AsyncSearchResultListener {
    final Set<String> values = ConcurrentHashMap.newKeySet();
    final List<String> ends = new CopyOnWriteArrayList<>();

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      values.add(String.valueOf(entry.getAttributeValue("description")));
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      ends.add(reference.toString());
    }

    @Override
    public void searchResultReceived(AsyncRequestID request, SearchResult result) {
      ends.add(result.toString());
    }
  }

  private static Heard hear(LDAPConnection connection) throws LDAPException {
    Heard heard = new Heard();
    SearchRequest request = new SearchRequest(heard, TOP, SearchScope.SUB, "(ou=*)", "*");
    request.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), false, true));
    AsyncRequestID _ = connection.asyncSearch(request);
    return heard;
  }

  private static void follow(SyncCopy copy, LDAPConnection connection) {
    try {
      LDAPResult _ = copy.run(connection, true);
    } catch (LDAPException _) {
      // The connection is closed.
    }
  }

  private static Set<String> descriptions(SyncCopy copy) {
    Set<String> found = ConcurrentHashMap.newKeySet();
    copy.state()
        .entries()
        .values()
        .forEach(held -> found.addAll(held.attributes().getOrDefault("description", Set.of())));
    return found;
  }

  @Test
  void shouldTellChangesAtEachMemberAcrossAChangeOfLeader() throws Exception {
    Set<String> told = Set.of("first", "second", "third");
    List<LDAPConnection> connections = new ArrayList<>();
    List<Heard> heard = new ArrayList<>();
    List<SyncCopy> copies = new ArrayList<>();
    try {
      for (Member member : members.all()) {
        LDAPConnection connection = member.connect();
        connections.add(connection);
        heard.add(hear(connection));
        LDAPConnection other = member.connect();
        connections.add(other);
        SyncCopy copy = new SyncCopy(ALL);
        Thread.ofPlatform().daemon().start(() -> follow(copy, other));
        copies.add(copy);
      }
      for (SyncCopy copy : copies) {
        eventually("it follows", copy::isRefreshed);
      }
      put(0, "first");
      Member former = members.leader();
      members.transfer(members.followers().getFirst());
      put(1, "second");
      members.transfer(former);
      put(2, "third");
      for (int i = 0; i < copies.size(); i++) {
        Heard each = heard.get(i);
        SyncCopy copy = copies.get(i);
        eventually("searches tell", () -> each.values.containsAll(told));
        eventually("copies have it", () -> descriptions(copy).containsAll(told));
        assertThat(each.ends).isEmpty();
        assertThat(copy.faults()).isEmpty();
      }
    } finally {
      connections.forEach(LDAPConnection::close);
    }
  }

  private static Map<String, Held> entries(Member member) throws LDAPException {
    try (LDAPConnection client = member.connect()) {
      return SyncCopy.byName(client, ALL);
    }
  }

  /** Follows at a member for a while. */
  private static void visit(SyncCopy copy, Member member, int until, AtomicInteger count)
      throws Exception {
    LDAPConnection connection = member.connect();
    try {
      Thread following = Thread.ofPlatform().daemon().start(() -> follow(copy, connection));
      eventually("it follows at " + member.url(), copy::isRefreshed);
      eventually("changes are made", () -> count.get() >= until);
      connection.close();
      Patience.join(following);
    } finally {
      connection.close();
    }
  }

  @Test
  void shouldHoldACookieOfAnyMemberAtAllOthers() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicInteger count = new AtomicInteger();
    Thread writer = Thread.ofPlatform().daemon().start(() -> write(isOver, count));
    SyncCopy copy = new SyncCopy(ALL);
    Random random = new Random(7);
    try {
      for (int move = 0; move < MOVES; move++) {
        List<Member> running = members.all().stream().filter(Member::isRunning).toList();
        Member member = running.get(random.nextInt(running.size()));
        if (move % 3 == 0) {
          visit(copy, member, count.get() + 3, count);
        } else {
          refresh(copy, member);
        }
        if (move % 4 == 1) {
          members.transfer(members.followers().getFirst());
        } else if (move == MOVES / 3) {
          members.followers().getFirst().stop();
        } else if (move == 2 * MOVES / 3) {
          restart();
        }
      }
    } finally {
      isOver.set(true);
      Patience.join(writer);
    }
    Member leader = members.leader();
    for (Member member : members.all()) {
      refresh(copy, member);
      assertThat(copy.byName()).isEqualTo(entries(leader));
      assertThat(SlapdConsumer.contextCsn(member.connect())).contains("#007#");
    }
    assertThat(copy.faults()).isEmpty();
    assertThat(copy.presentPhases()).as("a cookie did not hold").isZero();
  }

  private static void restart() throws Exception {
    for (Member member : members.all()) {
      if (!member.isRunning()) {
        member.start();
      }
    }
  }

  private static void refresh(SyncCopy copy, Member member) throws Exception {
    try (LDAPConnection connection = member.connect()) {
      LDAPResult result = copy.run(connection, false);
      assertThat(result.getResultCode()).as("%s", result).isEqualTo(ResultCode.SUCCESS);
    }
  }

  private static void write(AtomicBoolean isOver, AtomicInteger count) {
    while (!isOver.get()) {
      int number = count.get();
      if (tryPut(members.leader(), number % UNITS, "value " + number)) {
        count.incrementAndGet();
      }
    }
  }

  @Test
  void shouldBeFollowedBySlapdFromOneMemberToTheNext() throws Exception {
    Path of = Files.createDirectories(folder.resolve("slapd"));
    Member first = members.followers().getFirst();
    Member next = members.followers().getLast();
    try (SlapdConsumer slapd = slapd(of, first)) {
      slapd.start();
      put(0, "one");
      members.transfer(first);
      put(1, "two");
      try (LDAPConnection root = members.leader().connect()) {
        slapd.awaitEqual(root, "one member");
      }
    }
    try (SlapdConsumer slapd = slapd(of, next)) {
      put(2, "three");
      slapd.start();
      put(3, "four");
      try (LDAPConnection root = members.leader().connect()) {
        slapd.awaitEqual(root, "the next member");
      }
      members.transfer(next);
      put(4, "five");
      try (LDAPConnection root = members.leader().connect()) {
        slapd.awaitEqual(root, "after a change of leader");
      }
      // With the cookie of the first member it got what had changed, and no list of all entries.
      assertThat(slapd.log()).doesNotContain("LDAP_SYNC_PRESENT", "too old");
    }
  }

  private static SlapdConsumer slapd(Path of, Member member) throws Exception {
    return new SlapdConsumer(of, member.url(), "refreshAndPersist", "cn=admin", "admin");
  }

  private static ASN1OctetString start(LDAPConnection client) throws LDAPException {
    return ((StartTransactionExtendedResult)
            client.processExtendedOperation(new StartTransactionExtendedRequest()))
        .getTransactionID();
  }

  private static void addIn(LDAPConnection client, ASN1OctetString id, String ou)
      throws LDAPException {
    AddRequest request =
        new AddRequest(
            "ou=" + ou + "," + TOP,
            new Attribute("objectClass", "organizationalUnit"),
            new Attribute("ou", ou));
    request.addControl(new TransactionSpecificationRequestControl(id));
    assertThat(client.add(request).getResultCode()).isEqualTo(ResultCode.SUCCESS);
  }

  private static LDAPResult process(LDAPConnection client, ExtendedRequest request) {
    try {
      return client.processExtendedOperation(request);
    } catch (LDAPException e) {
      return e.toLDAPResult();
    }
  }

  private static int present(Member member, String... units) throws LDAPException {
    int found = 0;
    try (LDAPConnection client = member.connect()) {
      for (String each : units) {
        found += client.getEntry("ou=" + each + "," + TOP, "1.1") == null ? 0 : 1;
      }
    }
    return found;
  }

  @Test
  void shouldMakeATransactionWholeOrNotWhoeverLeadsAtItsEnd() throws Exception {
    for (int round = 0; round < 2 * ROUNDS; round++) {
      String[] units = {"a" + round, "b" + round};
      Member former = members.leader();
      Member next = members.followers().getFirst();
      try (LDAPConnection client = former.connect()) {
        ASN1OctetString id = start(client);
        for (String each : units) {
          addIn(client, id, each);
        }
        CompletableFuture<LDAPResult> ended = new CompletableFuture<>();
        EndTransactionExtendedRequest end = new EndTransactionExtendedRequest(id, true);
        if (round % 2 == 0) {
          // At the same time.
          Thread.ofPlatform().daemon().start(() -> ended.complete(process(client, end)));
          members.transfer(next);
        } else {
          members.transfer(next);
          ended.complete(process(client, end));
        }
        LDAPResult result = ended.get();
        put(0, "after transaction " + round);
        int made = present(members.leader(), units);
        if (result.getResultCode().equals(ResultCode.SUCCESS)) {
          assertThat(made).isEqualTo(units.length);
        } else {
          assertThat(made).as("%s", result).isIn(0, units.length);
          String message = String.valueOf(result.getDiagnosticMessage());
          assertThat(made == 0 || message.contains("not known")).as("%s", result).isTrue();
        }
        int known = made;
        for (Member member : members.all()) {
          eventually("all members have the same", () -> present(member, units) == known);
        }
      }
    }
  }

  @Test
  void shouldGiveAValueToOneEntryWhileLeadersChange() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      String uid = "value" + round;
      Member former = members.leader();
      Member next = members.followers().getFirst();
      List<Thread> racing = new ArrayList<>();
      AtomicInteger made = new AtomicInteger();
      for (Member member : List.of(former, next)) {
        String name = "cn=" + racing.size() + uid + "," + TOP;
        racing.add(Thread.ofPlatform().daemon().start(() -> claim(member, name, uid, made)));
      }
      members.transfer(next);
      for (Thread each : racing) {
        Patience.join(each);
      }
      put(0, "after race " + round);
      for (Member member : members.all()) {
        eventually("one has it", () -> holders(member, uid) == 1);
      }
      assertThat(made.get()).isLessThanOrEqualTo(1);
    }
  }

  private static int holders(Member member, String uid) throws LDAPException {
    try (LDAPConnection client = member.connect()) {
      return client.search(TOP, SearchScope.SUB, "(uid=" + uid + ")", "1.1").getEntryCount();
    }
  }

  /** Adds an entry with a value, until it is there or the value is another one's. */
  private static void claim(Member first, String name, String uid, AtomicInteger made) {
    boolean isOver = false;
    Member at = first;
    while (!isOver) {
      try (LDAPConnection client = at.connect()) {
        client.add(
            name,
            new Attribute("objectClass", "inetOrgPerson"),
            new Attribute("sn", "x"),
            new Attribute("uid", uid));
        made.incrementAndGet();
        isOver = true;
      } catch (LDAPException e) {
        // One whose outcome was not known may have been made.
        isOver =
            e.getResultCode().equals(ResultCode.ENTRY_ALREADY_EXISTS)
                || e.getResultCode().equals(ResultCode.CONSTRAINT_VIOLATION);
        at = e.getResultCode().equals(ResultCode.REFERRAL) ? members.leader() : at;
      }
    }
  }

  @Test
  void shouldDeleteAnExpiredEntryOnceWhoeverLeads() throws Exception {
    String name = "cn=brief," + TOP;
    Heard heard;
    try (LDAPConnection follower = members.followers().getFirst().connect();
        LDAPConnection client = members.leader().connect()) {
      client.add(
          name,
          new Attribute("objectClass", "device", "dynamicObject"),
          new Attribute("cn", "brief"));
      ASN1Sequence value =
          new ASN1Sequence(new ASN1OctetString((byte) 0x80, name), new ASN1Integer((byte) 0x81, 3));
      ExtendedRequest refresh = new ExtendedRequest(REFRESH, new ASN1OctetString(value.encode()));
      assertThat(process(client, refresh).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      heard = hear(follower);
      members.transfer(members.followers().getFirst());
      for (Member member : members.all()) {
        eventually("it is gone", () -> !hasEntry(member, name));
      }
      put(0, "after expiry");
      eventually("the followers go on", () -> heard.values.contains("after expiry"));
      assertThat(heard.ends).isEmpty();
    }
  }

  private static boolean hasEntry(Member member, String name) throws LDAPException {
    try (LDAPConnection client = member.connect()) {
      return client.getEntry(name, "1.1") != null;
    }
  }
}
