package org.nyala.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.Listening;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

/** Sends a password in every way that there is, and looks for it in everything that comes out. */
class CanaryTest {
  private static final String CANARY = "Kanarienvogel7Q";
  private static final String BASE = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + BASE;
  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/]{8,}={0,2}");

  @TempDir Path folder;

  private ServerProcess start() throws Exception {
    Path levels =
        Files.writeString(
            folder.resolve("logging.properties"),
            Files.readString(Path.of("src/packaging/conf/logging.properties"))
                + "\norg.nyala.level = ALL\n");
    return ServerProcess.start(
        folder,
        """
        root.password = %1$s
        log {
          access { format = stats, file = "%2$s/access.log" }
          audit { enabled = true, file = "%2$s/audit.ldif" }
        }
        sasl.map = [{ search = "ldap:///??sub?(uid=$1)" }]
        management {
          http = "127.0.0.1:0", httpMonitor { user = scraper, password = %1$s }
          jmx = "127.0.0.1:0", jmxAdmin { user = chief, password = %1$s }
        }
        """
            .formatted(CANARY, folder.resolve("logs")),
        "-Djava.util.logging.config.file=" + levels);
  }

  /** An action of a client, which may fail: its answer does not matter. */
  private interface Action {
    void run() throws Exception;
  }

  private static void tried(Action action) throws Exception {
    try {
      action.run();
    } catch (LDAPException | SecurityException e) {
      assertThat(e).hasMessageNotContaining(CANARY);
    }
  }

  private static void binds(ServerProcess server) throws Exception {
    List<BindRequest> requests =
        List.of(
            new SimpleBindRequest("cn=admin", CANARY),
            new SimpleBindRequest("cn=admin", CANARY + "x"),
            new SimpleBindRequest("uid=nobody," + BASE, CANARY),
            new SimpleBindRequest("no DN", CANARY),
            new SimpleBindRequest("userPassword=" + CANARY + "," + BASE, "x"),
            new SimpleBindRequest("", CANARY),
            new SimpleBindRequest(ANN, CANARY),
            new PLAINBindRequest("ann", CANARY),
            new PLAINBindRequest("ann", CANARY + "x"),
            new PLAINBindRequest("nobody", CANARY),
            new PLAINBindRequest("dn:cn=admin", "dn:" + ANN, CANARY),
            new SCRAMSHA256BindRequest("ann", CANARY),
            new SCRAMSHA256BindRequest("nobody", CANARY));
    for (BindRequest request : requests) {
      try (LDAPConnection client = new LDAPConnection("127.0.0.1", server.port())) {
        tried(() -> client.bind(request));
      }
    }
  }

  private static void changes(LDAPConnection root) throws Exception {
    tried(() -> root.add("dn: " + BASE, "objectClass: domain", "dc: example"));
    String[] types = {"userPassword", "2.5.4.35", "userPassword;lang-en", "USERPASSWORD"};
    for (String type : types) {
      tried(() -> root.delete(ANN));
      AddRequest add =
          new AddRequest(
              "dn: " + ANN,
              "objectClass: account",
              "objectClass: simpleSecurityObject",
              "uid: ann",
              "userPassword: " + CANARY,
              type + ": " + CANARY + "1");
      tried(() -> root.add(add));
      for (ModificationType kind : ModificationType.values()) {
        tried(() -> root.modify(ANN, new Modification(kind, type, CANARY + "2")));
      }
      tried(() -> root.compare(new CompareRequest(ANN, type, CANARY)));
    }
    for (String type : types) {
      String name = type + "=" + CANARY + "," + BASE;
      tried(() -> root.add("dn: " + name, "objectClass: account", "uid: x"));
      tried(() -> root.modify(name, replaced()));
      tried(() -> root.modifyDN(ANN, type + "=" + CANARY, false));
      tried(() -> root.modifyDN(ANN, "uid=ann", false, name));
      tried(() -> root.compare(name, "cn", "x"));
      tried(() -> root.search(name, SearchScope.BASE, "(member=" + name + ")"));
      tried(() -> root.delete(name));
    }
    tried(() -> root.modify("uid=x," + BASE, replaced()));
    tried(() -> root.modify("no DN", replaced()));
    tried(
        () -> root.processExtendedOperation(new PasswordModifyExtendedRequest(ANN, null, CANARY)));
    tried(
        () ->
            root.processExtendedOperation(new PasswordModifyExtendedRequest(ANN, CANARY, CANARY)));
    tried(
        () ->
            root.processExtendedOperation(
                new PasswordModifyExtendedRequest(ANN, CANARY + "x", CANARY + "y")));
  }

  private static Modification replaced() {
    return new Modification(ModificationType.REPLACE, "userPassword", CANARY);
  }

  private static void searches(LDAPConnection client) throws Exception {
    String[] filters = {
      "(userPassword=%s)",
      "(2.5.4.35=%s)",
      "(userPassword;lang-en=%s)",
      "(userPassword=%s*)",
      "(userPassword=*%s*x)",
      "(userPassword>=%s)",
      "(userPassword<=%s)",
      "(userPassword~=%s)",
      "(userPassword:octetStringMatch:=%s)",
      "(userPassword:dn:2.5.13.17:=%s)",
      "(|(uid=a)(!(userPassword=%s)))"
    };
    for (String each : filters) {
      String filter = each.formatted(CANARY);
      tried(() -> client.search(BASE, SearchScope.SUB, filter));
      SearchRequest asserted = new SearchRequest(BASE, SearchScope.BASE, "(uid=a)");
      asserted.addControl(new AssertionRequestControl(filter, true));
      tried(() -> client.search(asserted));
    }
    SearchRequest matched = new SearchRequest(BASE, SearchScope.SUB, "(uid=a)");
    matched.addControl(
        new MatchedValuesRequestControl(
            MatchedValuesFilter.createEqualityFilter("userPassword", CANARY)));
    tried(() -> client.search(matched));
    DeleteRequest delete = new DeleteRequest("uid=x," + BASE);
    delete.addControl(new AssertionRequestControl("(userPassword=" + CANARY + ")", true));
    tried(() -> client.delete(delete));
    CompareRequest compared = new CompareRequest(ANN, "userPassword", CANARY);
    compared.addControl(new ProxiedAuthorizationV2RequestControl("dn:" + ANN));
    tried(() -> client.compare(compared));
  }

  /** Sends what is no request, with the password in it. */
  private static void nonsense(ServerProcess server) throws IOException {
    byte[] bind = ("\u0030\u0030\u0002\u0001\u0001\u0060" + CANARY.repeat(4)).getBytes(ISO_8859_1);
    for (byte[] bytes : List.of(bind, ("GET /" + CANARY + "\r\n\r\n").getBytes(UTF_8))) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        socket.getOutputStream().write(bytes);
        socket.shutdownOutput();
        byte[] _ = socket.getInputStream().readAllBytes();
      }
    }
  }

  private static String metrics(ServerProcess server, String credentials) throws Exception {
    String jmx = "0100007F:%04X".formatted(server.jmxUrl().getPort());
    Set<String> ports = new TreeSet<>(Listening.of(server.pid()));
    // Its URL names the port of the registry behind the one of the stub.
    ports.removeIf(
        each -> each.equals(jmx) || each.equals("0100007F:%04X".formatted(server.port())));
    Matcher registry = Pattern.compile("rmi://[^/]*:(\\d+)/jmxrmi").matcher(server.log());
    assertThat(registry.find()).isTrue();
    ports.remove("0100007F:%04X".formatted(Integer.parseInt(registry.group(1))));
    assertThat(ports).hasSize(1);
    int port = Integer.parseInt(ports.iterator().next().substring(9), 16);
    String basic = Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket
          .getOutputStream()
          .write(
              ("GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Basic " + basic + "\r\n\r\n")
                  .getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  /** Returns everything that beans show. */
  private static String beans(JMXConnector client) throws Exception {
    MBeanServerConnection beans = client.getMBeanServerConnection();
    StringBuilder all = new StringBuilder();
    for (ObjectName name : beans.queryNames(new ObjectName("org.nyala:*"), null)) {
      for (MBeanAttributeInfo each : beans.getMBeanInfo(name).getAttributes()) {
        all.append(each.getName()).append(beans.getAttribute(name, each.getName())).append('\n');
      }
    }
    return all.toString();
  }

  private static String processOf(long pid) throws IOException {
    Path process = Path.of("/proc/" + pid);
    StringBuilder all = new StringBuilder(Files.readString(process.resolve("cmdline"), ISO_8859_1));
    all.append(Files.readString(process.resolve("environ"), ISO_8859_1));
    try (Stream<Path> tasks = Files.list(process.resolve("task"))) {
      for (Path task : tasks.toList()) {
        all.append(Files.readString(task.resolve("comm"), ISO_8859_1));
      }
    }
    return all.toString();
  }

  private String threads(long pid) throws Exception {
    Processes.Result dump =
        Processes.run(
            folder,
            Map.of(),
            List.of(
                Path.of(System.getProperty("java.home"), "bin/jcmd").toString(),
                Long.toString(pid),
                "Thread.print"));
    return dump.shouldSucceed().out();
  }

  @Test
  void shouldNotComeOutAnywhere() throws Exception {
    Map<String, String> outputs = new LinkedHashMap<>();
    try (ServerProcess server = start()) {
      try (LDAPConnection root = server.client("cn=admin", CANARY)) {
        changes(root);
        binds(server);
        searches(root);
        try (LDAPConnection ann = server.client(ANN, CANARY)) {
          searches(ann);
          tried(() -> ann.modify(ANN, replaced()));
          tried(
              () ->
                  ann.processExtendedOperation(
                      new PasswordModifyExtendedRequest(null, CANARY + "x", CANARY)));
        }
        nonsense(server);
        tried(() -> server.connect(new String[] {"chief", CANARY + "x"}).close());
        assertThat(metrics(server, "scraper:" + CANARY + "x")).contains("401 Unauthorized");
        assertThat(metrics(server, CANARY + ":" + CANARY)).contains("401 Unauthorized");
        outputs.put("metrics", metrics(server, "scraper:" + CANARY));
        outputs.put(
            "cn=Monitor",
            root.search("cn=Monitor", SearchScope.SUB, "(objectClass=*)", "*", "+")
                .getSearchEntries()
                .toString());
      }
      try (JMXConnector client = server.connect(new String[] {"chief", CANARY})) {
        outputs.put("beans", beans(client));
      }
      outputs.put("process", processOf(server.pid()));
      outputs.put("threads", threads(server.pid()));
      outputs.put("standard output", server.firstOutput());
      // Before the server ends and removes it.
      read("data/run", outputs);
    }
    outputs.put("standard error", Files.readString(folder.resolve("serve.err")));
    read("logs", outputs);
    LocalCommands nyala = new LocalCommands();
    nyala.shouldSucceed(folder.resolve("test.conf"), "config", "show");
    outputs.put("config show", nyala.out() + nyala.err());

    shouldBeComplete(outputs);
    outputs.forEach(CanaryTest::shouldNotHaveIt);
  }

  private void read(String name, Map<String, String> outputs) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(name))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        outputs.put(file.toString(), Files.readString(file, ISO_8859_1));
      }
    }
  }

  /** Otherwise the password was looked for in nothing. */
  private void shouldBeComplete(Map<String, String> outputs) {
    String logs = folder.resolve("logs") + "/";
    assertThat(outputs.get(logs + "access.log"))
        .contains("BIND dn=\"cn=admin\"", "CMP", "PROXYAUTHZ");
    assertThat(outputs.get(logs + "audit.ldif"))
        .contains("userPassword: {SSHA512}", "changetype: modify");
    assertThat(outputs.get(logs + "security.log"))
        .contains(
            " bind from=",
            "reason=wrong-password",
            "reason=unknown-name",
            "management-login-failed from=127.0.0.1 via=http",
            "management-login-failed from=127.0.0.1 via=jmx",
            "management-login from=127.0.0.1 via=jmx user=\"chief\"");
    assertThat(outputs.get("metrics")).contains("200 OK", "ldap_server_");
    assertThat(outputs.get("cn=Monitor")).contains("cn=Operations");
    assertThat(outputs.get("beans")).contains("Strategy");
    assertThat(outputs.get("threads")).contains("nyala-log-security");
    assertThat(outputs.get("process")).contains("serve", "nyala-io");
    assertThat(outputs.get("config show")).contains("nyala.root.password");
    assertThat(outputs.keySet()).anyMatch(name -> name.endsWith("nyala.counters"));
  }

  private static void shouldNotHaveIt(String name, String output) {
    assertThat(output.contains(CANARY)).as(name + ": " + around(output)).isFalse();
    Matcher encoded = BASE64.matcher(output);
    while (encoded.find()) {
      String text = encoded.group();
      byte[] decoded = decoded(text);
      assertThat(new String(decoded, ISO_8859_1)).as(name + ": " + text).doesNotContain(CANARY);
    }
  }

  private static String around(String output) {
    int at = output.indexOf(CANARY);
    return at < 0
        ? ""
        : output.substring(Math.max(0, at - 200), Math.min(output.length(), at + 80));
  }

  private static byte[] decoded(String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException _) {
      return new byte[0];
    }
  }

  @Test
  void shouldNotComeOutOfCommands() throws Exception {
    Path configuration = ServerProcess.configure(folder, "root.password = " + CANARY);
    Path ldif =
        Files.writeString(
            folder.resolve("a.ldif"),
            """
            dn: dc=example,dc=com
            objectClass: domain
            dc: example

            dn: uid=ann,dc=example,dc=com
            objectClass: account
            objectClass: simpleSecurityObject
            uid: ann
            userPassword: %1$s

            dn: uid=bob,dc=example,dc=com
            objectClass: account
            uid: bob
            userPassword: %1$s
            nosuch: a

            dn: uid=cleo,dc=example,dc=com
            objectClass: account
            objectClass: simpleSecurityObject
            uid: cleo
            userPassword: %1$s
            userPassword: %1$s

            dn: uid=dan,dc=example,dc=com
            objectClass: account
            uid: dan
            userPassword; : %1$s
            """
                .formatted(CANARY));
    LocalCommands nyala = new LocalCommands();
    int _ = nyala.run(configuration, "import", ldif.toString());
    assertThat(nyala.out() + nyala.err())
        .contains("no attribute type for 'nosuch'", "userPassword; :");
    shouldNotHaveIt("import", nyala.out() + nyala.err());
    int _ = nyala.run(configuration, "config", "check");
    shouldNotHaveIt("config check", nyala.out() + nyala.err());
    shouldNotHaveIt("password", password());
  }

  /**
   * Returns all that there is to see of a command that reads a password from its standard input.
   */
  private String password() throws Exception {
    List<String> command =
        ProgramJvm.command(
            List.of("-Djdk.console=java.base"), List.of("password", "--scheme=SSHA512"));
    Process process =
        new ProcessBuilder(command).redirectError(folder.resolve("err").toFile()).start();
    process.getOutputStream().write((CANARY + "\n").getBytes(UTF_8));
    process.getOutputStream().flush();
    eventually(
        "it has threads", () -> processOf(process.pid()).contains("java") || !process.isAlive());
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    seen.write(processOf(process.pid()).getBytes(UTF_8));
    process.getOutputStream().close();
    process.getInputStream().transferTo(seen);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    seen.write(Files.readAllBytes(folder.resolve("err")));
    assertThat(seen.toString(UTF_8)).contains("{SSHA512}");
    return seen.toString(UTF_8);
  }
}
