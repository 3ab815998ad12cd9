package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.process.ServerProcess;

/**
 * Tests a server without file descriptors for more clients: it logs that and continues to serve its
 * clients.
 */
@EnabledOnOs(OS.LINUX)
class DescriptorsIT {
  private static final int LIMIT = 600;
  private static final int SOME = 5;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final String MESSAGE =
      "clients cannot connect, connections that are open are served";

  private static final String STANDING =
      "limits { persistentSearchesPerConnection = 8, memory.persistentSearchesPerIdentity = 1000 }";
  private static final AsyncSearchResultListener IGNORED = new IgnoredResults();

  /** Nothing changes, and the results are those of the end. */
  private static final class IgnoredResults implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1;

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {}

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {}

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {}
  }

  @TempDir static Path installation;

  private static Path home;

  @TempDir Path folder;

  private final List<LDAPConnection> clients = new CopyOnWriteArrayList<>();

  /** Unpacks the jar: from an open jar, classes are loaded without a descriptor. */
  @BeforeAll
  static void unpack() throws Exception {
    home = Tarball.unpack(installation.resolve("opt"));
  }

  private List<String> command() {
    return List.of(
        home.resolve("bin/nyala").toString(), "serve", "--config=" + folder.resolve("test.conf"));
  }

  @AfterEach
  void closeClients() {
    clients.forEach(LDAPConnection::close);
  }

  /** Connects a client that has something under way, so that it makes way for nobody. */
  private LDAPConnection connect(ServerProcess server) throws LDAPException {
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setConnectTimeoutMillis((int) TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
    LDAPConnection client =
        new LDAPConnection(options, "127.0.0.1", server.port(), "cn=admin", "admin");
    SearchRequest standing =
        new SearchRequest(
            IGNORED, "dc=example,dc=com", SearchScope.SUB, Filter.createPresenceFilter("cn"));
    standing.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, false));
    var _ = client.asyncSearch(standing);
    clients.add(client);
    return client;
  }

  /** Adds the entry that the standing searches are based at. */
  private static void addBase(ServerProcess server) throws Exception {
    try (LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add(
          "dn: dc=example,dc=com",
          "objectClass: organization",
          "objectClass: dcObject",
          "o: Example",
          "dc: example");
    }
  }

  private static List<String> told(ServerProcess server) {
    try {
      return server.log().lines().filter(line -> line.contains(MESSAGE)).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> warnings(ServerProcess server) {
    return told(server).stream().filter(line -> line.contains("WARNING")).toList();
  }

  private static boolean isOver(ServerProcess server) {
    return told(server).stream().anyMatch(line -> line.contains("INFO") && line.contains("over: "));
  }

  private void assertServed() throws LDAPException {
    for (LDAPConnection client : clients) {
      assertThat(client.getRootDSE()).isNotNull();
    }
  }

  @Test
  void shouldTurnClientsAwayBeforeThereIsNothingLeft() throws Exception {
    // Each event loop has descriptors of its own: as few loops as on a small machine.
    ServerProcess.configure(
        folder,
        "management { jmx = \"127.0.0.1:0\", watch.intervalSeconds = 1 }, dispatch.eventLoops = 2, "
            + STANDING);
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n " + LIMIT + "; exec \"$@\"", "sh"));
    command.addAll(command());
    try (ServerProcess server = ServerProcess.start(folder, Map.of(), command)) {
      addBase(server);
      for (int round = 0; round < 2; round++) {
        assertThatThrownBy(
                () -> {
                  for (int i = 0; i < LIMIT; i++) {
                    connect(server);
                  }
                })
            .isInstanceOf(LDAPException.class);
        assertThat(clients).hasSizeGreaterThan(10);
      }
      eventually("a notification", () -> !told(server).isEmpty());
      assertServed();
      assertThat(warnings(server))
          .singleElement()
          .asString()
          .contains("may have " + LIMIT + " file descriptors", "LimitNOFILE");
      // Other programs still have descriptors.
      try (JMXConnector jmx = server.connect()) {
        assertThat(refused(jmx.getMBeanServerConnection())).isPositive();
      }
      closeClients();
      clients.clear();
      eventually("room", () -> isLetIn(server));
      eventually("over", () -> isOver(server));
    }
  }

  /** Idle clients make way one by one, and the server needs no more descriptors. */
  @Test
  void shouldLetNewcomersTakeThePlacesOfIdleClients() throws Exception {
    ServerProcess.configure(folder, "dispatch.eventLoops = 2");
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n " + LIMIT + "; exec \"$@\"", "sh"));
    command.addAll(command());
    try (ServerProcess server = ServerProcess.start(folder, Map.of(), command)) {
      for (int i = 0; i < LIMIT; i++) {
        clients.add(server.client("cn=admin", "admin"));
      }
      assertThat(clients.getLast().getRootDSE()).isNotNull();
      eventually("the oldest has made way", () -> !clients.getFirst().isConnected());
      assertThat(server.log()).doesNotContain("\tat ");
    }
  }

  private boolean isLetIn(ServerProcess server) {
    try {
      return connect(server).isConnected();
    } catch (LDAPException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void shouldAcceptAgainWhenDescriptorsAreThereAgain(String transport) throws Throwable {
    ServerProcess.configure(
        folder,
        "management { jmx = \"127.0.0.1:0\", watch.intervalSeconds = 1 }, transport = "
            + transport
            + ", "
            + STANDING);
    String socket = folder.resolve("notify").toString();
    Map<String, String> watched = Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "60000000");
    try (ServiceSocket manager = ServiceSocket.open(socket)) {
      try (ServerProcess server = ServerProcess.start(folder, watched, command());
          JMXConnector jmx = server.connect()) {
        MBeanServerConnection beans = jmx.getMBeanServerConnection();
        addBase(server);
        for (int i = 0; i < 5; i++) {
          connect(server);
        }
        assertThat(refused(beans)).isZero();
        List<Integer> open = descriptors(server);
        limit(server, open.getLast() + 1);
        long start = System.nanoTime();
        // As many as there are numbers left below the limit, and some beyond that.
        List<CompletableFuture<Boolean>> waiting =
            connectLater(server, open.getLast() - open.size() + SOME);
        eventually("a notification", () -> !told(server).isEmpty());
        assertServed();
        eventually("tried again", () -> refused(beans) > 2);
        // All notifications up to now were sent before.
        manager.drain();
        assertThat(manager.receive()).isEqualTo("WATCHDOG=1");
        long refused = refused(beans);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        // Once a second: connections are not retried continuously.
        assertThat(refused).isLessThanOrEqualTo(seconds + 2);
        assertServed();
        assertThat(warnings(server)).singleElement().asString().contains("LimitNOFILE");
        assertThat(waiting).anyMatch(client -> !client.isDone());
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), jmxPort(server))) {
          eventually("no connection for JMX", () -> server.log().contains("for JMX cannot be"));
        }
        limit(server, 4 * (open.getLast() + 1));
        for (CompletableFuture<Boolean> client : waiting) {
          assertThat(client.get(120, TimeUnit.SECONDS)).isTrue();
        }
        assertServed();
        eventually("over", () -> isOver(server));
        assertThat(server.log()).doesNotContain("\tat ");
      }
    }
  }

  private static int jmxPort(ServerProcess server) throws IOException {
    Matcher port = Pattern.compile(":(\\d+)/jmxrmi").matcher(server.jmxUrl().toString());
    assertThat(port.find()).isTrue();
    return Integer.parseInt(port.group(1));
  }

  private List<CompletableFuture<Boolean>> connectLater(ServerProcess server, int clientCount) {
    List<CompletableFuture<Boolean>> connecting = new ArrayList<>();
    for (int i = 0; i < clientCount; i++) {
      connecting.add(
          CompletableFuture.supplyAsync(
              () -> isLetIn(server), work -> Thread.ofVirtual().start(work)));
    }
    return connecting;
  }

  private static long refused(MBeanServerConnection beans) {
    try {
      return (Long) beans.getAttribute(new ObjectName(ConnectionsMXBean.NAME), "Refused");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the numbers of open descriptors in ascending order. */
  private static List<Integer> descriptors(ServerProcess server) throws IOException {
    try (var open = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
      return open.map(file -> Integer.valueOf(file.getFileName().toString())).sorted().toList();
    }
  }

  /** Sets a limit, so that the server gets no descriptor of this number or above. */
  private static void limit(ServerProcess server, int descriptors) throws Exception {
    Process process =
        new ProcessBuilder(
                "prlimit", "--pid", Long.toString(server.pid()), "--nofile=" + descriptors + ":")
            .inheritIO()
            .start();
    assertThat(process.waitFor()).isZero();
  }
}
