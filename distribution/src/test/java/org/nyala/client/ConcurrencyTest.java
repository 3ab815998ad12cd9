package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cli.Main;
import org.nyala.error.ExitCode;
import org.nyala.process.ServedDirectory;

/**
 * Runs clients of every kind at once, each of which undoes its changes: in the end the directory is
 * unchanged. {@code -Dnyala.concurrency.rounds=N} makes it longer.
 */
class ConcurrencyTest {
  private static final int ROUNDS = Integer.getInteger("nyala.concurrency.rounds", 25);
  private static final int CLIENTS_PER_KIND = 2;
  private static final String TOP = "dc=example,dc=com";
  private static final String PEOPLE = "ou=People," + TOP;
  private static final String ADA = "uid=ada," + PEOPLE;
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final String TEAM = "cn=team,ou=Places," + TOP;

  @TempDir Path folder;

  /** One round of a client, which is repeated. */
  @FunctionalInterface
  private interface Round {
    void run(LDAPConnection connection, String client) throws Exception;
  }

  @Test
  void shouldLeaveTheDirectoryAsItWas() throws Exception {
    List<String> before;
    try (ServedDirectory served = ServedDirectory.start(folder, "clients.ldif")) {
      before = export("before");
      List<Round> kinds =
          List.of(
              ConcurrencyTest::search,
              ConcurrencyTest::read,
              ConcurrencyTest::bind,
              ConcurrencyTest::modify,
              ConcurrencyTest::addAndDelete,
              ConcurrencyTest::rename,
              ConcurrencyTest::move);
      List<Callable<Integer>> clients = new ArrayList<>();
      for (int kind = 0; kind < kinds.size(); kind++) {
        for (int number = 0; number < CLIENTS_PER_KIND; number++) {
          Round round = kinds.get(kind);
          String client = kind + "-" + number;
          clients.add(() -> rounds(served, round, client));
        }
      }
      try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
        for (Future<Integer> done : threads.invokeAll(clients)) {
          assertThat(done.get()).isEqualTo(ROUNDS);
        }
      }
    }
    assertThat(export("after")).isEqualTo(before);
    assertThat(command("verify")).as("verify").isEqualTo(ExitCode.OK);
  }

  private static int rounds(ServedDirectory served, Round round, String client) throws Exception {
    try (LDAPConnection connection = administrator(served)) {
      for (int i = 0; i < ROUNDS; i++) {
        round.run(connection, client);
      }
    }
    return ROUNDS;
  }

  private static LDAPConnection administrator(ServedDirectory served) throws LDAPException {
    return new LDAPConnection("127.0.0.1", served.port(), "cn=admin," + TOP, "admin");
  }

  private static void search(LDAPConnection connection, String client) throws LDAPException {
    assertThat(count(connection, TOP, "(uid=ada)")).isEqualTo(1);
    assertThat(count(connection, PEOPLE, "(&(objectClass=person)(cn=*e*))")).isGreaterThan(1);
    assertThat(count(connection, TOP, "(|(mail=bob@example.com)(uid=nobody))")).isEqualTo(1);
    assertThat(count(connection, TOP, "(member=" + ADA + ")")).isEqualTo(1);
  }

  private static int count(LDAPConnection connection, String base, String filter)
      throws LDAPException {
    SearchResult result = connection.search(base, SearchScope.SUB, filter, "1.1");
    return result.getEntryCount();
  }

  private static void read(LDAPConnection connection, String client) throws LDAPException {
    assertThat(connection.getEntry(ADA).getAttributeValues("cn")).hasSize(2);
    assertThat(connection.getEntry(TEAM).hasAttributeValue("member", BOB)).isTrue();
    assertThat(connection.getEntry("uid=nobody," + PEOPLE)).isNull();
  }

  private static void bind(LDAPConnection connection, String client) throws LDAPException {
    assertThat(connection.bind(ADA, "enchantress").getResultCode().intValue()).isZero();
    assertThat(connection.bind(BOB, "clear text").getResultCode().intValue()).isZero();
  }

  private static void modify(LDAPConnection connection, String client) throws LDAPException {
    String member = "cn=guest " + client + "," + TOP;
    for (ModificationType type : List.of(ModificationType.ADD, ModificationType.DELETE)) {
      connection.modify(TEAM, new Modification(type, "member", member));
      connection.modify(ADA, new Modification(type, "description", "seen by " + client));
    }
  }

  private static void addAndDelete(LDAPConnection connection, String client) throws Exception {
    String name = "cn=guest " + client + ",ou=Places," + TOP;
    connection.add("dn: " + name, "objectClass: device", "serialNumber: " + client);
    assertThat(count(connection, TOP, "(serialNumber=" + client + ")")).isEqualTo(1);
    connection.delete(name);
    assertThat(count(connection, TOP, "(serialNumber=" + client + ")")).isZero();
  }

  private static void rename(LDAPConnection connection, String client) throws Exception {
    String name = "ou=room " + client + "," + TOP;
    connection.add("dn: " + name, "objectClass: organizationalUnit");
    connection.add("dn: cn=chair," + name, "objectClass: device");
    connection.modifyDN(name, "ou=hall " + client, true);
    assertThat(connection.getEntry("cn=chair,ou=hall " + client + "," + TOP)).isNotNull();
    assertThat(connection.getEntry("cn=chair," + name)).isNull();
    connection.modifyDN("ou=hall " + client + "," + TOP, "ou=room " + client, true);
    connection.delete("cn=chair," + name);
    connection.delete(name);
  }

  private static void move(LDAPConnection connection, String client) throws Exception {
    String rdn = "cn=wanderer " + client;
    connection.add("dn: " + rdn + "," + PEOPLE, "objectClass: device");
    connection.modifyDN(rdn + "," + PEOPLE, rdn, true, "ou=Places," + TOP);
    connection.modifyDN(rdn + ",ou=Places," + TOP, rdn, true, PEOPLE);
    connection.delete(rdn + "," + PEOPLE);
  }

  private int command(String... words) {
    List<String> line = new ArrayList<>(Arrays.asList(words));
    line.addAll(List.of("--config", folder.resolve("test.conf").toString()));
    line.addAll(List.of("--data", folder.resolve("data").toString()));
    return Main.commandLine().execute(line.toArray(String[]::new));
  }

  /**
   * Returns the directory as sorted entries, without the operational attributes that record
   * changes.
   */
  private List<String> export(String name) throws IOException {
    Path file = folder.resolve(name + ".ldif");
    assertThat(command("export", "-o", file.toString())).as("export").isEqualTo(ExitCode.OK);
    List<String> entries = new ArrayList<>();
    for (String entry : Files.readString(file).split("\n\n", -1)) {
      entries.add(
          entry
              .lines()
              .filter(line -> !line.matches("(entryCSN|contextCSN|modify\\w+|modifiersName):.*"))
              .sorted()
              .reduce("", (one, other) -> one + '\n' + other));
    }
    entries.sort(null);
    return entries;
  }
}
