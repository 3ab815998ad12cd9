package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.BufferedReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.process.Processes;

/**
 * Kills the server process at random instants while many clients write. Acknowledged changes exist
 * after the restart, and changes under way exist wholly or not at all.
 *
 * <p>{@code -Dnyala.kills=300} kills more often, {@code -Dtest.seed=N} repeats a run as far as the
 * operating system allows.
 */
class KilledServerIT {
  private static final int WRITERS = 8;
  private static final String ROOT_DN = "cn=admin,dc=example,dc=com";
  private static final String READY = "nyala ready on ";
  private static final int SHORTEST_LIFE_MILLIS = 20;
  private static final int LONGEST_LIFE_MILLIS = 1000;

  private static final String DATA =
      """
      dn: dc=example,dc=com
      objectClass: organization
      objectClass: dcObject
      o: Example
      dc: example

      dn: ou=storm,dc=example,dc=com
      objectClass: organizationalUnit
      ou: storm

      dn: cn=members,dc=example,dc=com
      objectClass: groupOfNames
      cn: members
      member: cn=nobody
      """;

  @TempDir static Path folder;

  private static Path home;
  private static Path configuration;

  @BeforeAll
  static void unpackAndImport() throws Exception {
    home = Tarball.unpack(folder.resolve("opt"));
    configuration =
        Files.writeString(
            folder.resolve("kill.conf"),
            """
            nyala {
              listeners = ["ldap://127.0.0.1:0"]
              data = data
              root { dn = "%s", password = admin }
            }
            """
                .formatted(ROOT_DN));
    Path ldif = Files.writeString(folder.resolve("kill.ldif"), DATA);
    nyala("import", "--config", configuration.toString(), ldif.toString()).shouldSucceed();
  }

  private static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/nyala").toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static Processes.Result nyala(String... arguments) throws Exception {
    return Processes.run(folder, Map.of(), command(arguments));
  }

  private static Process serve() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command("serve", "--config", configuration.toString()))
            .directory(folder.toFile())
            .redirectError(folder.resolve("kill.err").toFile());
    builder.environment().clear();
    // A server lives for seconds, which the second compiler does not earn back.
    builder.environment().put("NYALA_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    return builder.start();
  }

  private static int port(Process server) throws Exception {
    BufferedReader out = server.inputReader();
    String line = out.readLine();
    while (line != null && !line.contains(READY)) {
      line = out.readLine();
    }
    assertThat(line).as(Files.readString(folder.resolve("kill.err"))).isNotNull();
    return URI.create(line.substring(line.indexOf(READY) + READY.length())).getPort();
  }

  private static LDAPConnection connect(int port) throws Exception {
    return new LDAPConnection("127.0.0.1", port, ROOT_DN, "admin");
  }

  @Test
  void shouldLoseNoAcknowledgedWriteHoweverOftenItIsKilled() throws Exception {
    long seed = Seeds.seed();
    int kills = Integer.getInteger("nyala.kills", 5);
    Random random = new Random(seed);
    List<StormWriter> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(new StormWriter(i, seed));
    }
    List<String> wrong = new ArrayList<>();
    int done = 0;
    Process server = serve();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      while (done < kills && wrong.isEmpty()) {
        storm(server, writers, random, threads);
        done++;
        nyala("verify", "--config", configuration.toString()).shouldSucceed();
        server = serve();
        wrong.addAll(compare(port(server), writers));
        stop(server);
        server = serve();
      }
    } finally {
      server.destroyForcibly().waitFor();
    }
    long acknowledged = acknowledged(writers);
    System.out.printf(
        Locale.ROOT,
        "kills %d, acknowledged writes %d, lost or half-written %d, seed %d%n",
        done,
        acknowledged,
        wrong.size(),
        seed);
    assertThat(wrong).as("seed %d", seed).isEmpty();
    assertThat(acknowledged).as("writes between %d kills", done).isGreaterThanOrEqualTo(done);
  }

  private static long acknowledged(List<StormWriter> writers) {
    return writers.stream().mapToLong(StormWriter::acknowledged).sum();
  }

  /**
   * Stops the server in an orderly way between kills, so that both ways of ending are tested in
   * turn.
   */
  private static void stop(Process server) throws Exception {
    server.destroy();
    assertThat(server.waitFor(120, TimeUnit.SECONDS)).as("stops when asked to").isTrue();
  }

  private static void storm(
      Process server, List<StormWriter> writers, Random random, ExecutorService threads)
      throws Exception {
    int port = port(server);
    long before = acknowledged(writers);
    CountDownLatch connected = new CountDownLatch(writers.size());
    AtomicBoolean killed = new AtomicBoolean();
    List<Future<?>> running = new ArrayList<>();
    for (StormWriter writer : writers) {
      LDAPConnection connection = connect(port);
      running.add(
          threads.submit(
              () -> {
                connected.countDown();
                try (connection) {
                  writer.write(connection);
                }
                assertThat(killed).as("the server runs until it is killed").isTrue();
              }));
    }
    connected.await();
    eventually(
        "a write is acknowledged",
        () -> acknowledged(writers) > before || running.stream().anyMatch(Future::isDone));
    int life = random.nextInt(SHORTEST_LIFE_MILLIS, LONGEST_LIFE_MILLIS);
    boolean ended = server.waitFor(life, TimeUnit.MILLISECONDS);
    killed.set(true);
    server.destroyForcibly().waitFor();
    assertThat(ended).as(Files.readString(folder.resolve("kill.err"))).isFalse();
    for (Future<?> each : running) {
      try {
        each.get(120, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw new AssertionError("a writer failed", e.getCause());
      }
    }
  }

  private static List<String> compare(int port, List<StormWriter> writers) throws Exception {
    Map<String, String> facts = new HashMap<>();
    try (LDAPConnection connection = connect(port)) {
      for (SearchResultEntry entry :
          connection
              .search(StormWriter.BASE, SearchScope.ONE, "(objectClass=organizationalRole)")
              .getSearchEntries()) {
        facts.put("entry " + name(entry), value(entry));
      }
      for (String member :
          connection.getEntry(StormWriter.GROUP, "member").getAttributeValues("member")) {
        facts.put("member " + member.substring("cn=".length()), "in");
      }
    }
    facts.remove("member nobody");
    List<String> wrong = new ArrayList<>();
    for (StormWriter writer : writers) {
      Map<String, String> own = new HashMap<>(facts);
      own.keySet().removeIf(fact -> !writer.owns(fact));
      wrong.addAll(writer.check(own));
    }
    return wrong;
  }

  /** Returns name and naming value, so that half a rename shows. */
  private static String name(SearchResultEntry entry) throws Exception {
    String name = entry.getRDN().getAttributeValues()[0];
    return name.equals(entry.getAttributeValue("cn")) ? name : name + " without its naming value";
  }

  /** Returns both attributes that every change sets alike, so that half a change shows. */
  private static String value(SearchResultEntry entry) {
    String value = entry.getAttributeValue("description");
    return value.equals(entry.getAttributeValue("l")) ? value : value + " in description only";
  }
}
