package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Three members of a cluster in processes of their own, formed by the commands. */
@Timeout(300)
class ThreeMembersTest {
  private static final int ENTRIES = 20;
  private static final Pattern JOINED = Pattern.compile("nyala cluster join (\\S+)");
  private static final Pattern MEMBER = Pattern.compile("(?m)^member +(\\S+)$");

  @TempDir Path folder;

  private final List<Member> members = new ArrayList<>();

  /** A member: its folder, and its process while it runs. Confined to the test's thread. */
  private static final class Member {
    final Path folder;
    final int port = FreePorts.take();
    final String configuration;
    ServerProcess process;

    Member(Path folder) throws IOException {
      this.folder = Files.createDirectories(folder);
      int peers = FreePorts.take();
      this.configuration =
          """
          listeners = ["ldap://127.0.0.1:%d"], store.create = always
          cluster { address = "127.0.0.1:%d", referTo = "ldap://127.0.0.1:%d" }
          """
              .formatted(port, peers, port);
      ServerProcess.configure(folder, configuration);
    }

    Path conf() {
      return folder.resolve("test.conf");
    }

    void start() throws IOException {
      process = ServerProcess.start(folder, configuration);
    }

    LDAPConnection connect() throws LDAPException {
      return new LDAPConnection("127.0.0.1", port, "cn=admin", "admin");
    }
  }

  @AfterEach
  void stop() {
    for (Member member : members) {
      if (member.process != null) {
        member.process.close();
      }
    }
  }

  private Member member() throws IOException {
    Member member = new Member(folder.resolve("m" + members.size()));
    members.add(member);
    return member;
  }

  private static String command(Member member, String... words) {
    LocalCommands local = new LocalCommands();
    local.shouldSucceed(member.conf(), words);
    return local.out();
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  private static String name(int number) {
    return "ou=unit" + number + ",dc=example,dc=com";
  }

  private static void put(LDAPConnection client, int number, String value) throws LDAPException {
    client.modify(name(number), new Modification(ModificationType.REPLACE, "description", value));
  }

  /** Forms a cluster of three whose first member has some entries. */
  private void form() throws Exception {
    Member first = member();
    first.start();
    try (LDAPConnection client = first.connect()) {
      assertThatThrownBy(
              () -> client.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example"))
          .isInstanceOfSatisfying(
              LDAPException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE));
    }
    String address = found(JOINED, command(first, "cluster", "init"));
    // One that has had no change since, and one that has.
    join(address);
    try (LDAPConnection client = first.connect()) {
      client.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      for (int i = 0; i < ENTRIES; i++) {
        client.add("dn: " + name(i), "objectClass: organizationalUnit", "ou: unit" + i);
      }
    }
    join(address);
  }

  /** Starts another server and has it join. */
  private void join(String first) throws Exception {
    Member next = member();
    next.start();
    command(next, "cluster", "join", first);
  }

  private static Map<String, String> contents(Member member) throws LDAPException {
    try (LDAPConnection client = member.connect()) {
      Map<String, String> found = new TreeMap<>();
      for (SearchResultEntry entry :
          client
              .search("dc=example,dc=com", SearchScope.SUB, "(objectClass=*)", "*", "+")
              .getSearchEntries()) {
        found.put(entry.getDN(), entry.toLDIFString());
      }
      return found;
    }
  }

  private static boolean isLeading(Member member) {
    if (member.process == null) {
      return false;
    }
    LocalCommands local = new LocalCommands();
    local.run(member.conf(), "cluster", "status");
    return local.out().contains("role      leader");
  }

  private Member leader() throws Exception {
    Member[] found = new Member[1];
    eventually(
        "a member leads",
        () -> {
          for (Member member : members) {
            if (isLeading(member)) {
              found[0] = member;
            }
          }
          return found[0] != null;
        });
    return found[0];
  }

  private void shouldBeEqual() throws Exception {
    Map<String, String> expected = contents(leader());
    for (Member member : members) {
      eventually("all members have the same", () -> contents(member).equals(expected));
    }
  }

  @Test
  void shouldKeepAnsweredChangesWhenTheLeaderIsKilled() throws Exception {
    form();
    shouldBeEqual();
    Member former = leader();
    assertThat(former).isSameAs(members.getFirst());
    try (LDAPConnection client = members.get(1).connect()) {
      for (int i = 0; i < ENTRIES; i++) {
        put(client, 0, "passed on " + i);
        assertThat(client.getEntry(name(0)).getAttributeValue("description"))
            .isEqualTo("passed on " + i);
      }
    }

    Map<Integer, String> answered = new ConcurrentHashMap<>();
    AtomicInteger count = new AtomicInteger();
    Thread writer = Thread.ofPlatform().start(() -> write(former, answered, count));
    eventually("changes are answered", () -> count.get() >= 3 * ENTRIES);
    former.process.kill();
    former.process = null;
    Patience.join(writer);

    Member next = leader();
    assertThat(next).isNotSameAs(former);
    try (LDAPConnection client = next.connect()) {
      String unknown = "value " + count.get();
      for (Map.Entry<Integer, String> each : answered.entrySet()) {
        assertThat(client.getEntry(name(each.getKey())).getAttributeValue("description"))
            .isIn(each.getValue(), unknown);
      }
      eventually("changes are made again", () -> isPut(client, 1, "afterwards"));
    }
    former.start();
    shouldBeEqual();
    for (Member member : members) {
      command(member, "cluster", "status");
    }

    String id = found(MEMBER, command(former, "cluster", "status"));
    eventually("the former leader leads again", () -> isTransferred(former, id));
    try (LDAPConnection client = former.connect()) {
      eventually("changes are made after a transfer", () -> isPut(client, 2, "transferred"));
    }
    shouldBeEqual();
    for (Member member : members) {
      member.process.close();
      member.process = null;
      assertThat(command(member, "verify")).isNotEmpty();
    }
    // A server of its own would change the data behind the others' backs.
    assertThatThrownBy(() -> LocalServer.start(former.folder, ""))
        .hasMessageContaining("nyala.cluster: expected the address of this server");
  }

  /** Has the present leader hand over to a member; it may be another one on a busy machine. */
  private boolean isTransferred(Member to, String id) throws Exception {
    Member present = leader();
    if (present != to) {
      new LocalCommands().run(present.conf(), "cluster", "transfer", id);
    }
    return isLeading(to);
  }

  private static boolean isPut(LDAPConnection client, int number, String value) {
    try {
      put(client, number, value);
      return true;
    } catch (LDAPException e) {
      assertThat(e.getResultCode()).isIn(ResultCode.UNAVAILABLE, ResultCode.REFERRAL);
      return false;
    }
  }

  /** Changes entries until a change is not answered, and notes the last answered value of each. */
  private static void write(Member leader, Map<Integer, String> answered, AtomicInteger count) {
    try (LDAPConnection client = leader.connect()) {
      while (true) {
        int number = count.get();
        // Entry 1 is changed afterwards.
        int entry = 2 + number % (ENTRIES - 2);
        put(client, entry, "value " + number);
        answered.put(entry, "value " + number);
        count.incrementAndGet();
      }
    } catch (LDAPException _) {
      // The server was killed: the outcome of the last change is not known.
    }
  }
}
