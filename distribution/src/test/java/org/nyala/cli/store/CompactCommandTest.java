package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** The command compact, with and without a server. */
@Timeout(300)
class CompactCommandTest {
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final String PEOPLE = "ou=People,dc=example,dc=com";
  private static final int ENTRIES = 300;
  private static final int COMPACTIONS = Integer.getInteger("nyala.compactions", 2);

  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final ConcurrentHashMap<Integer, String> answered = new ConcurrentHashMap<>();

  private Processes.Result nyala(String... arguments) {
    LocalCommands commands = new LocalCommands();
    int exitCode = commands.run(folder.resolve("test.conf"), arguments);
    return new Processes.Result(exitCode, commands.out(), commands.err());
  }

  private void load() throws Exception {
    Files.writeString(
        folder.resolve("test.conf"),
        """
        nyala {
          listeners = ["ldap://127.0.0.1:0"]
          data = "%s"
          log.security.file = "%s"
          root { dn = "%s", password = admin }
          access.anonymousRead = true
        }
        """
            .formatted(folder.resolve("data"), folder.resolve("security.log"), ROOT));
    String ldif = folder.resolve("a.ldif").toString();
    nyala("sample", "--entries", Integer.toString(ENTRIES), "-o", ldif).shouldSucceed();
    nyala("import", ldif).shouldSucceed();
  }

  private long size() throws Exception {
    return Files.size(folder.resolve("data").resolve("data.mdb"));
  }

  /** Replaces a description of some kilobytes, and notes it once that is answered. */
  private void change(LDAPConnection client) throws Exception {
    int number = random.nextInt(100);
    String text = Integer.toHexString(random.nextInt()).repeat(1 + random.nextInt(500));
    client.modify(
        "uid=user." + number + "," + PEOPLE,
        new Modification(ModificationType.REPLACE, "description", text));
    answered.put(number, text);
  }

  private int changeWhile(LDAPConnection client, AtomicBoolean done) throws Exception {
    int count = 0;
    for (; !done.get() || count < 10; count++) {
      change(client);
    }
    return count;
  }

  private static int searchWhile(LDAPConnection client, AtomicBoolean done) throws Exception {
    int count = 0;
    for (; !done.get() || count < 10; count++) {
      assertThat(client.search(PEOPLE, SearchScope.SUB, "(uid=user.*)", "1.1").getEntryCount())
          .isGreaterThan(100);
    }
    return count;
  }

  private void requireAnswered(LDAPConnection client) throws Exception {
    for (int number : answered.keySet()) {
      assertThat(
              client
                  .getEntry("uid=user." + number + "," + PEOPLE, "description")
                  .getAttributeValue("description"))
          .as("seed %d, entry %d", seed, number)
          .isEqualTo(answered.get(number));
    }
  }

  @Test
  void shouldCompactBesideClientsAndKeepEveryAnsweredChange() throws Exception {
    load();
    try (ServerProcess server = ServerProcess.serve(folder);
        LDAPConnection writer = new LDAPConnection("127.0.0.1", server.port(), ROOT, "admin");
        LDAPConnection reader = new LDAPConnection("127.0.0.1", server.port());
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < COMPACTIONS; round++) {
        for (int i = 0; i < ENTRIES; i++) {
          change(writer);
        }
        AtomicBoolean done = new AtomicBoolean();
        Future<Integer> changing = threads.submit(() -> changeWhile(writer, done));
        Future<Integer> searching = threads.submit(() -> searchWhile(reader, done));
        Processes.Result compacted = nyala("compact");
        done.set(true);
        assertThat(changing.get()).isPositive();
        assertThat(searching.get()).isPositive();
        assertThat(compacted.exitCode()).as("seed %d: %s", seed, compacted).isEqualTo(ExitCode.OK);
        assertThat(compacted.out())
            .matches("compacted [0-9.]+ MiB to [0-9.]+ MiB in [0-9.]+ s; changes waited .*\\n");
        requireAnswered(reader);
      }
      long before = size();
      nyala("compact").shouldSucceed();
      assertThat(size()).as("seed %d", seed).isLessThan(before);
      requireAnswered(reader);
      nyala("export", "-o", folder.resolve("e.ldif").toString()).shouldSucceed();
    }
    nyala("verify").shouldSucceed();
    try (ServerProcess server = ServerProcess.serve(folder);
        LDAPConnection reader = new LDAPConnection("127.0.0.1", server.port())) {
      requireAnswered(reader);
    }
  }

  @Test
  void shouldCompactWithoutAServer() throws Exception {
    load();
    nyala("index", "rebuild", "cn").shouldSucceed();
    long before = size();
    assertThat(nyala("compact").out()).startsWith("compacted ").hasLineCount(1);
    assertThat(size()).isLessThan(before);
    nyala("verify").shouldSucceed();
    // The copy that a killed compaction has left is deleted by the next start.
    Path left = Files.createDirectory(folder.resolve("data.importing-1"));
    Files.writeString(left.resolve("data.mdb"), "x");
    try (ServerProcess _ = ServerProcess.serve(folder)) {
      assertThat(left).doesNotExist();
    }
  }
}
