package org.nyala.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InvalidClassException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.AccessException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.Attribute;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.process.Listening;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Tests the JMX port of a server in another process with JMX clients and others. */
class RemoteManagementTest {
  private static final String[] ADMINISTRATOR = {"chief", "geheim"};
  private static final String[] MONITOR = {"watcher", "vertraulich"};

  private static ObjectName name(String text) throws Exception {
    return new ObjectName(text);
  }

  private static String hash(String password) {
    byte[] bytes = password.getBytes(UTF_8);
    return new String(
        PasswordHash.create(PasswordScheme.SSHA512, bytes, new SecureRandom()), UTF_8);
  }

  private static DispatchMXBean dispatch(MBeanServerConnection beans) throws Exception {
    return JMX.newMXBeanProxy(beans, name(DispatchMXBean.NAME), DispatchMXBean.class);
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class WithAccounts {
    private ServerProcess server;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
      Path secret = Files.writeString(folder.resolve("secret"), MONITOR[1] + "\n");
      server =
          ServerProcess.start(
              folder,
              """
              management {
                jmx = "127.0.0.1:0"
                jmxAdmin { user = chief, password = "%s" }
                jmxMonitor { user = watcher, passwordFile = "%s" }
              }
              """
                  .formatted(hash(ADMINISTRATOR[1]), secret));
    }

    @AfterAll
    void stop() throws Exception {
      server.close();
    }

    @Test
    void shouldListenOnOnePortOfOneAddress() throws Exception {
      try (JMXConnector client = server.connect(ADMINISTRATOR)) {
        assertThat(dispatch(client.getMBeanServerConnection()).getStrategy()).isNotEmpty();
        assertThat(Listening.of(server.pid()))
            .containsExactlyInAnyOrder(
                "0100007F:%04X".formatted(jmxPort()), "0100007F:%04X".formatted(server.port()));
      }
    }

    private int jmxPort() throws IOException {
      return RemoteManagementTest.jmxPort(server);
    }

    @Test
    void shouldLetAdministratorsChange() throws Exception {
      try (JMXConnector client = server.connect(ADMINISTRATOR)) {
        MBeanServerConnection beans = client.getMBeanServerConnection();
        assertThat(dispatch(beans).switchStrategy("striped")).isEqualTo("adaptive");
        assertThat(dispatch(beans).switchStrategy("adaptive")).isEqualTo("striped");
        ObjectName memory = name("java.lang:type=Memory");
        beans.setAttribute(memory, new Attribute("Verbose", false));
        assertThat(beans.getAttribute(memory, "Verbose")).isEqualTo(false);
        assertThat(server.log()).contains("JMX: chief logged in from 127.0.0.1");
      }
    }

    @Test
    void shouldLetMonitorsOnlyRead() throws Exception {
      try (JMXConnector client = server.connect(MONITOR)) {
        MBeanServerConnection beans = client.getMBeanServerConnection();
        assertThat(beans.getAttribute(name(ServerMXBean.NAME), "Pid")).isEqualTo(server.pid());
        assertThat(beans.queryNames(name("org.nyala:*"), null)).hasSizeGreaterThan(5);
        assertThatThrownBy(() -> dispatch(beans).switchStrategy("striped"))
            .isInstanceOf(SecurityException.class)
            .hasMessageContaining("jmxAdmin");
        ObjectName memory = name("java.lang:type=Memory");
        Attribute verbose = new Attribute("Verbose", true);
        assertThatThrownBy(() -> beans.setAttribute(memory, verbose))
            .isInstanceOf(SecurityException.class);
      }
    }

    @Test
    void shouldKeepFromAdministratorsWhatLoadsCodeOrWritesFiles() throws Exception {
      try (JMXConnector client = server.connect(ADMINISTRATOR)) {
        MBeanServerConnection beans = client.getMBeanServerConnection();
        ObjectName diagnostics = name("com.sun.management:type=DiagnosticCommand");
        assertThat(beans.isRegistered(diagnostics)).isTrue();
        assertThatThrownBy(() -> beans.invoke(diagnostics, "vmVersion", null, null))
            .isInstanceOf(SecurityException.class)
            .hasMessageContaining("attach to the process");
        ObjectName timer = name("some:type=Timer");
        assertThatThrownBy(() -> beans.createMBean("javax.management.timer.Timer", timer))
            .isInstanceOf(SecurityException.class);
        ObjectName own = name(DispatchMXBean.NAME);
        assertThatThrownBy(() -> beans.unregisterMBean(own)).isInstanceOf(SecurityException.class);
        assertThat(beans.isRegistered(own)).isTrue();
      }
    }

    @Test
    void shouldLetNobodyElseIn() throws Exception {
      for (String[] credentials :
          new String[][] {
            {"chief", "vertraulich"},
            {"chief", ""},
            {"", ""},
            {"chief"},
            {"nobody", "geheim"},
            {"chief", null},
            {null, "geheim"}
          }) {
        assertThatThrownBy(() -> server.connect(credentials))
            .isInstanceOf(SecurityException.class)
            .hasMessageContaining("the user or the password is wrong");
      }
      assertThatThrownBy(() -> server.connect()).isInstanceOf(SecurityException.class);
      assertThat(server.log())
          .contains("a wrong name or password from 127.0.0.1")
          .doesNotContain("\tat ", "vertraulich", "nobody");
    }

    @Test
    void shouldReadNothingFromStrangersButNameAndPassword() {
      assertThatThrownBy(() -> server.connect(new HashMap<>()))
          .hasRootCauseInstanceOf(InvalidClassException.class)
          .rootCause()
          .hasMessageContaining("REJECTED");
      String[] long_ = {"chief", "x".repeat(20_000)};
      assertThatThrownBy(() -> server.connect(long_)).isInstanceOf(Exception.class);
    }

    @Test
    void shouldReadOnlyWhatArgumentsAreMadeOf() throws Exception {
      try (JMXConnector client = server.connect(ADMINISTRATOR)) {
        MBeanServerConnection beans = client.getMBeanServerConnection();
        Object[] arguments = {new File("/")};
        String[] signature = {"java.lang.String"};
        ObjectName own = name(DispatchMXBean.NAME);
        assertThatThrownBy(() -> beans.invoke(own, "switchStrategy", arguments, signature))
            .isInstanceOf(InvalidClassException.class)
            .hasMessageContaining("REJECTED");
      }
    }

    @Test
    void shouldLetNobodyOnTheMachineChangeWhereClientsLogIn() throws Exception {
      Registry registry = LocateRegistry.getRegistry("127.0.0.1", jmxPort());
      assertThat(registry.list()).containsExactly("jmxrmi");
      var stub = registry.lookup("jmxrmi");
      assertThatThrownBy(() -> registry.rebind("jmxrmi", stub))
          .hasRootCauseInstanceOf(AccessException.class);
      assertThatThrownBy(() -> registry.unbind("jmxrmi"))
          .hasRootCauseInstanceOf(AccessException.class);
      assertThatThrownBy(() -> registry.bind("other", stub))
          .hasRootCauseInstanceOf(AccessException.class);
      assertThat(registry.list()).containsExactly("jmxrmi");
    }

    @Test
    void shouldLetSilentConnectionsGiveWay() throws Exception {
      List<Socket> sockets = new ArrayList<>();
      try (JMXConnector inside = server.connect(ADMINISTRATOR)) {
        assertThat(inside.getMBeanServerConnection().getMBeanCount()).isPositive();
        for (int i = 0; i < 80; i++) {
          Socket socket = new Socket(InetAddress.getLoopbackAddress(), jmxPort());
          sockets.add(socket);
          // Every other connection sends a greeting of RMI; accepted ones get an answer.
          if (i % 2 == 0) {
            socket.getOutputStream().write(new byte[] {'J', 'R', 'M', 'I', 0, 2, 'K'});
          }
        }
        for (int i = 0; i < 5; i++) {
          try (JMXConnector client = server.connect(MONITOR)) {
            assertThat(client.getMBeanServerConnection().getMBeanCount()).isPositive();
          }
        }
        assertThat(inside.getMBeanServerConnection().getMBeanCount()).isPositive();
        // Some were closed: they get a message, or read the rest and then the end.
        eventually("one is closed", () -> sockets.stream().anyMatch(each -> isOver(each)));
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
    }
  }

  private static boolean isOver(Socket socket) {
    try {
      socket.setSoTimeout(10);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException _) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static int jmxPort(ServerProcess server) throws IOException {
    String path = server.jmxUrl().getURLPath();
    return Integer.parseInt(path.replaceAll(".*:(\\d+)/jmxrmi", "$1"));
  }

  @Nested
  class WithBounds {
    private static final byte[] GREETING = {'J', 'R', 'M', 'I', 0, 2, 'K'};
    private static final int ACKNOWLEDGED = 0x4e;

    @TempDir Path folder;

    private ServerProcess start(String bounds) throws Exception {
      return ServerProcess.start(
          folder,
          """
          management {
            jmx = "127.0.0.1:0"
            jmxAdmin { user = chief, password = "%s" }
            %s
          }
          """
              .formatted(hash(ADMINISTRATOR[1]), bounds));
    }

    /** Connects from an address of this machine. */
    private static Socket connect(ServerProcess server, String from) throws IOException {
      return new Socket(
          InetAddress.getLoopbackAddress(), jmxPort(server), InetAddress.getByName(from), 0);
    }

    @Test
    void shouldLetOneUserOfTheMachineTakeNoPlaceFromOthers() throws Exception {
      List<Socket> crowd = new ArrayList<>();
      try (ServerProcess server = start("jmxConnectionsPerAddress = 4, jmxLoginSeconds = 3600");
          Socket other = connect(server, "127.0.0.2");
          JMXConnector inside = server.connect(ADMINISTRATOR)) {
        assertThat(inside.getMBeanServerConnection().getMBeanCount()).isPositive();
        for (int i = 0; i < 8; i++) {
          crowd.add(connect(server, "127.0.0.3"));
        }
        // All users of the machine share one address: the bound of an address does not apply to it.
        for (Socket each : crowd) {
          each.getOutputStream().write(GREETING);
          assertThat(each.getInputStream().read()).isEqualTo(ACKNOWLEDGED);
        }
        other.getOutputStream().write(GREETING);
        assertThat(other.getInputStream().read()).isEqualTo(ACKNOWLEDGED);
        assertThat(inside.getMBeanServerConnection().getMBeanCount()).isPositive();
      } finally {
        for (Socket socket : crowd) {
          socket.close();
        }
      }
    }

    @Test
    void shouldNotWaitForeverForALogin() throws Exception {
      try (ServerProcess server = start("jmxLoginSeconds = 1");
          JMXConnector inside = server.connect(ADMINISTRATOR);
          Socket silent = connect(server, "127.0.0.1")) {
        assertThat(inside.getMBeanServerConnection().getMBeanCount()).isPositive();
        silent.getOutputStream().write(GREETING);
        DataInputStream answer = new DataInputStream(silent.getInputStream());
        assertThat(answer.read()).isEqualTo(ACKNOWLEDGED);
        answer.readUTF();
        answer.readInt();
        // The greeting is complete: from here on RMI itself waits for two hours.
        DataOutputStream rest = new DataOutputStream(silent.getOutputStream());
        rest.writeUTF("client");
        rest.writeInt(0);
        eventually("it is closed", () -> isOver(silent));
        assertThat(inside.getMBeanServerConnection().getMBeanCount()).isPositive();
      }
    }
  }

  @Nested
  class WhileItRuns {
    @TempDir Path folder;

    @Test
    void shouldTakeOverOtherPasswords() throws Exception {
      Path secret = Files.writeString(folder.resolve("secret"), "first\n");
      String configuration =
          "management { jmx = \"127.0.0.1:0\", jmxAdmin { user = chief, passwordFile = \"%s\" } }"
              .formatted(secret);
      try (ServerProcess server = ServerProcess.start(folder, configuration);
          LocalManagement local = LocalManagement.attach(server.pid())) {
        server.connect(new String[] {"chief", "first"}).close();
        assertThat(local.server().reload().tookEffect()).isEmpty();
        Files.writeString(secret, "second\n");
        ServerMXBean.Reloaded reloaded = local.server().reload();
        assertThat(reloaded.tookEffect())
            .containsExactly("nyala.management.jmxAdmin, nyala.management.jmxMonitor");
        assertThat(reloaded.needRestart()).isEmpty();
        assertThatThrownBy(() -> server.connect(new String[] {"chief", "first"}))
            .isInstanceOf(SecurityException.class);
        server.connect(new String[] {"chief", "second"}).close();
        ServerProcess.configure(folder, "management { jmx = \"127.0.0.1:0\" }");
        assertThat(local.server().reload().needRestart())
            .anySatisfy(line -> assertThat(line).startsWith("nyala.management.jmxAdmin.user"));
        server.connect(new String[] {"chief", "second"}).close();
      }
    }

    @Test
    void shouldStopWhenItIsAskedTo() throws Exception {
      try (ServerProcess server = ServerProcess.start(folder, "");
          LDAPConnection client =
              new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin")) {
        client.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
        SearchRequest endless =
            new SearchRequest(
                new NoResults(), "dc=example,dc=com", SearchScope.SUB, "(objectClass=*)");
        endless.addControl(
            new PersistentSearchRequestControl(
                PersistentSearchChangeType.allChangeTypes(), true, true));
        AsyncRequestID running = client.asyncSearch(endless);
        assertThat(client.getEntry("dc=example,dc=com")).isNotNull();
        try (LocalManagement local = LocalManagement.attach(server.pid())) {
          local.server().stop();
        }
        assertThat(Patience.get(running).getResultCode()).isEqualTo(ResultCode.UNAVAILABLE);
        assertThat(server.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(server.log()).contains("asked over JMX to stop");
      }
    }
  }

  @Nested
  class WithoutAccounts {
    @TempDir Path folder;

    @Test
    void shouldShowEverythingAndChangeNothing() throws Exception {
      try (ServerProcess server = ServerProcess.start(folder, "management.jmx = \"127.0.0.1:0\"")) {
        try (JMXConnector client = server.connect()) {
          MBeanServerConnection beans = client.getMBeanServerConnection();
          assertThat(dispatch(beans).getStrategy()).isEqualTo("adaptive");
          assertThatThrownBy(() -> dispatch(beans).switchStrategy("striped"))
              .isInstanceOf(SecurityException.class);
        }
        assertThat(server.log()).contains("to read, for every user of this machine");
      }
    }

    @Test
    void shouldNotStartWhereThePortIsTaken() throws Exception {
      try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        String address = "127.0.0.1:" + taken.getLocalPort();
        ServerProcess.configure(folder, "management.jmx = \"" + address + "\"");
        Processes.Result result = Processes.run(folder, Map.of(), ServerProcess.command(folder));
        assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
            .startsWith("nyala: cannot listen on " + address + " for JMX: ")
            .hasLineCount(1);
      }
    }
  }
}
