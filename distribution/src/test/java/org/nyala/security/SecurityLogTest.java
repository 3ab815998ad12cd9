package org.nyala.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.ANONYMOUSBindRequest;
import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.EXTERNALBindRequest;
import com.unboundid.ldap.sdk.GenericSASLBindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.util.json.JSONObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestCertificates;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Compares the security log with what clients have tried. */
class SecurityLogTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + BASE;
  private static final Pattern LINE =
      Pattern.compile(
          "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z (\\S+)"
              + "(?: from=127\\.0\\.0\\.1 port=\\d+(?: conn=\\d+)?(?: op=\\d+)?)(.*)");
  private static final String MAPS =
      """
      sasl.map = [
        { match = "root-(.+)", dn = "cn=$1" }
        { search = "ldap:///??sub?(uid=$1)" }
      ]
      """;

  @TempDir Path folder;

  private static void fill(RunningServer server) throws Exception {
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      root.add("dn: ou=a," + BASE, "objectClass: organizationalUnit", "ou: a");
      for (String uid : List.of("ann", "bob", "none", "twice")) {
        root.add("dn: uid=" + uid + "," + BASE, "objectClass: account", "uid: " + uid);
      }
      root.add("dn: uid=twice,ou=a," + BASE, "objectClass: account", "uid: twice");
      byte[] keys =
          PasswordHash.create(
              Objects.requireNonNull(PasswordScheme.of("SCRAM-SHA-256")),
              "right".getBytes(UTF_8),
              new Random(1));
      Modification hasPassword =
          new Modification(ModificationType.ADD, "objectClass", "simpleSecurityObject");
      root.modify(
          ANN,
          List.of(hasPassword, new Modification(ModificationType.REPLACE, "userPassword", keys)));
      root.modify(
          "uid=bob," + BASE,
          List.of(
              hasPassword, new Modification(ModificationType.REPLACE, "userPassword", "right")));
    }
  }

  private static int bind(RunningServer server, BindRequest request) throws LDAPException {
    return LoggedBinds.bind(LocalServer.port(server), SocketFactory.getDefault(), request);
  }

  private List<String> events() throws IOException {
    List<String> events = new ArrayList<>();
    for (String line : LoggedBinds.lines(folder)) {
      assertThat(line).matches(LINE);
      events.add(LINE.matcher(line).replaceFirst("$1$2"));
    }
    return events;
  }

  private static String failed(int code, String reason, String names) {
    return "bind-failed code=" + code + " reason=" + reason + " ssf=0 " + names;
  }

  private static String simple(String dn) {
    return "mech=\"SIMPLE\" dn=\"" + dn + "\"";
  }

  /** Returns the event of a bind by SASL that a rule was asked about. */
  private static String failed(int code, String reason, int rule, String names) {
    return failed(code, reason, "rule=" + rule + " " + names);
  }

  private static String sasl(String mechanism, String user, String more) {
    return "mech=\"" + mechanism + "\" dn=\"\" user=\"" + user + "\"" + more;
  }

  /** Returns the event of a password that root has set before. */
  private static String reset(String name) {
    return "password-reset code=0 operation=modify identity=\"cn=admin\" target=\"" + name + "\"";
  }

  @Test
  void shouldSayWhyBindsFail() throws Exception {
    String ann = " entry=\"" + ANN + "\"";
    String bob = " entry=\"uid=bob," + BASE + "\"";
    String root = "bind code=0 ssf=0 " + simple("cn=admin") + " entry=\"cn=admin\"";
    try (RunningServer server = LocalServer.start(folder, MAPS + "log.access.format = stats")) {
      fill(server);
      bind(server, new SimpleBindRequest("UID=ann, " + BASE, "right"));
      bind(server, new SimpleBindRequest(ANN, "wrong"));
      bind(server, new SimpleBindRequest("uid=nobody," + BASE, "right"));
      bind(server, new SimpleBindRequest("uid=none," + BASE, "right"));
      bind(server, new SimpleBindRequest("", "right"));
      bind(server, new SimpleBindRequest("no DN", "right"));
      bind(server, new ANONYMOUSBindRequest());
      bind(server, new GenericSASLBindRequest("", "PLAIN", null));
      bind(server, new GenericSASLBindRequest("", "A\" code=0\n", null));
      bind(server, new EXTERNALBindRequest());
      bind(server, new PLAINBindRequest("ann", "right"));
      bind(server, new PLAINBindRequest("u:bob", "wrong"));
      bind(server, new PLAINBindRequest("nobody", "right"));
      bind(server, new PLAINBindRequest("twice", "right"));
      bind(server, new PLAINBindRequest("root-admin", "admin"));
      bind(server, new PLAINBindRequest("dn:cn=admin", "u:ann", "admin"));
      bind(server, new PLAINBindRequest("ann", "dn:cn=admin", "right"));
      bind(server, new PLAINBindRequest("ann", "nobody", "right"));
      bind(server, new SCRAMSHA256BindRequest("ann", "right"));
      bind(server, new SCRAMSHA256BindRequest("ann", "wrong"));
      bind(server, new SCRAMSHA256BindRequest("bob", "right"));
      bind(server, new SCRAMSHA256BindRequest("nobody", "right"));
    }
    assertThat(events())
        .containsExactly(
            root,
            reset(ANN),
            reset("uid=bob," + BASE),
            "bind code=0 ssf=0 " + simple("UID=ann,\\20" + BASE) + ann,
            failed(49, "wrong-password", simple(ANN) + ann),
            failed(49, "unknown-name", simple("uid=nobody," + BASE)),
            failed(
                49, "no-password", simple("uid=none," + BASE) + " entry=\"uid=none," + BASE + "\""),
            failed(49, "password-without-name", simple("")),
            failed(34, "invalidDnSyntax", simple("no\\20DN")),
            failed(7, "mechanism-not-offered", "mech=\"ANONYMOUS\" dn=\"\""),
            failed(2, "protocolError", "mech=\"PLAIN\" dn=\"\""),
            failed(7, "mechanism-not-offered", "mech=\"A\\22\\20code=0\\0A\" dn=\"\""),
            failed(7, "mechanism-not-offered", "mech=\"EXTERNAL\" dn=\"\""),
            "bind code=0 ssf=0 " + sasl("PLAIN", "ann", ann),
            failed(49, "wrong-password", 2, sasl("PLAIN", "u:bob", bob)),
            failed(49, "mapped-to-none", 2, sasl("PLAIN", "nobody", "")),
            failed(49, "mapped-to-several", 2, sasl("PLAIN", "twice", "")),
            failed(49, "mapped-to-root", 1, sasl("PLAIN", "root-admin", "")),
            "bind code=0 ssf=0 "
                + sasl("PLAIN", "dn:cn=admin", " authzid=\"u:ann\"" + ann + " actor=\"cn=admin\""),
            failed(
                50,
                "may-not-act-as-another",
                2,
                sasl("PLAIN", "ann", " authzid=\"dn:cn=admin\" actor=\"" + ANN + "\"")),
            failed(
                50,
                "unknown-target",
                2,
                sasl("PLAIN", "ann", " authzid=\"nobody\" actor=\"" + ANN + "\"")),
            "bind code=0 ssf=0 " + sasl("SCRAM-SHA-256", "ann", ann),
            failed(49, "wrong-password", 2, sasl("SCRAM-SHA-256", "ann", ann)),
            failed(49, "scheme-unknown", 2, sasl("SCRAM-SHA-256", "bob", bob)),
            failed(49, "mapped-to-none", 2, sasl("SCRAM-SHA-256", "nobody", "")));
    assertThat(Files.readString(folder.resolve("logs/access.log")))
        .contains(" BIND authcid=\"u:bob\" authzid=\"u:bob\" entry=\"uid=bob," + BASE + "\"\n")
        .contains(" BIND authcid=\"nobody\" authzid=\"nobody\" entry=\"\"\n")
        .contains(" BIND authcid=\"dn:cn=admin\" authzid=\"u:ann\" entry=\"" + ANN + "\"\n");
  }

  /** A rule of one mechanism leaves the default of the others. */
  @Test
  void shouldMapByUidWhereNoRuleIsOfTheMechanism() throws Exception {
    try (RunningServer server =
        LocalServer.start(
            folder,
            """
            sasl.map = [
              { mechanism = EXTERNAL, match = "gidNumber=0.*", dn = "cn=admin" }
              { mechanism = PLAIN, match = "plain-(.+)", dn = "uid=$1,dc=example,dc=com" }
            ]
            log.security.successfulBinds = false
            """)) {
      fill(server);
      assertThat(bind(server, new SCRAMSHA256BindRequest("ann", "right"))).isZero();
      assertThat(bind(server, new PLAINBindRequest("plain-ann", "right"))).isZero();
      bind(server, new PLAINBindRequest("ann", "right"));
      bind(server, new PLAINBindRequest("plain-none", "right"));
      bind(server, new SCRAMSHA256BindRequest("nobody", "right"));
    }
    assertThat(events())
        .filteredOn(event -> event.startsWith("bind-failed"))
        .containsExactly(
            failed(49, "unknown-name", 0, sasl("PLAIN", "ann", "")),
            failed(
                49,
                "no-password",
                2,
                sasl("PLAIN", "plain-none", " entry=\"uid=none," + BASE + "\"")),
            failed(49, "mapped-to-none", 3, sasl("SCRAM-SHA-256", "nobody", "")));
  }

  @Test
  void shouldSayWhoActsAsAnotherAndWhatIsRefused() throws Exception {
    var asAnn = new ProxiedAuthorizationV2RequestControl("dn:" + ANN);
    var asRoot = new ProxiedAuthorizationV2RequestControl("dn:cn=admin");
    try (RunningServer server =
        LocalServer.start(
            folder, "log { security.successfulBinds = false, access.format = stats }")) {
      fill(server);
      try (LDAPConnection root = LocalServer.connectAsRoot(server);
          LDAPConnection ann =
              new LDAPConnection("127.0.0.1", LocalServer.port(server), ANN, "right");
          LDAPConnection anybody = LocalServer.connect(server)) {
        root.processExtendedOperation(new WhoAmIExtendedRequest(new Control[] {asAnn}));
        ann.processExtendedOperation(new WhoAmIExtendedRequest(new Control[] {asRoot}));
        // Those who ask for themselves, even anonymously, cannot fill the log.
        ann.processExtendedOperation(new WhoAmIExtendedRequest(new Control[] {asAnn}));
        var asNobody = new ProxiedAuthorizationV2RequestControl("");
        anybody.processExtendedOperation(new WhoAmIExtendedRequest(new Control[] {asNobody}));
        Modification change = new Modification(ModificationType.REPLACE, "l", "secret value");
        assertThatThrownBy(() -> ann.modify("uid=bob," + BASE, change)).isNotNull();
        assertThatThrownBy(() -> anybody.modify("uid=bob," + BASE, change)).isNotNull();
        assertThatThrownBy(() -> ann.compare(new CompareRequest(ANN, "userPassword", "guess")))
            .isNotNull();
        unknownChoice(server);
        eventually("the log has the last one", () -> events().size() == 8);
      }
    }
    String bob = " target=\"uid=bob," + BASE + "\"";
    assertThat(events())
        .containsExactly(
            reset(ANN),
            reset("uid=bob," + BASE),
            "acts-as-another code=0 operation=extended identity=\"cn=admin\" authzid=\"dn:"
                + ANN
                + "\" target=\"1.3.6.1.4.1.4203.1.11.3\"",
            "access-denied code=123 reason=may-not-act-as-another operation=extended identity=\""
                + ANN
                + "\" authzid=\"dn:cn=admin\" target=\"1.3.6.1.4.1.4203.1.11.3\"",
            "access-denied code=50 reason=insufficientAccessRights operation=modify identity=\""
                + ANN
                + "\""
                + bob,
            "access-denied code=8 reason=strongerAuthRequired operation=modify identity=\"\"" + bob,
            "access-denied code=50 reason=insufficientAccessRights operation=compare identity=\""
                + ANN
                + "\" target=\""
                + ANN
                + "\"",
            failed(7, "authMethodNotSupported", "mech=\"\" dn=\"\""));
    assertThat(Files.readString(folder.resolve("logs/access.log")))
        .containsPattern("PROXYAUTHZ dn=\"dn:" + ANN + "\" by=\"cn=admin\"\n");
  }

  /** Sends a bind with a choice that there is none of (RFC 4511, section 4.2). */
  private static void unknownChoice(RunningServer server) throws IOException {
    byte[] bind =
        new BerWriter()
            .sequence(
                new BerWriter()
                    .integer(1)
                    .constructed(
                        0x60, new BerWriter().integer(3).text("cn=admin").text(0x85, "admin")))
            .toByteArray();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), LocalServer.port(server))) {
      socket.getOutputStream().write(bind);
      assertThat(socket.getInputStream().read()).isEqualTo(0x30);
    }
  }

  @Test
  void shouldSayWhereClientsComeFrom() throws Exception {
    Path certificates = Files.createDirectory(folder.resolve("certificates"));
    TestCertificates.make(certificates, "ldap.example.com", "-keyalg EC -groupname secp256r1")
        .pem(folder.resolve("server.pem"));
    Path socket = folder.resolve("ldapi");
    String listeners =
        "listeners = [\"pldap://127.0.0.1:0\", \"ldaps://127.0.0.1:0\", \"ldapi://%s\"]\n"
                .formatted(socket)
            + "proxy.from = [\"127.0.0.1\"], tls.certificate = server.pem\n"
            + "log.security.format = json";
    Path file = ServerProcess.configure(folder, listeners);
    try (RunningServer server = LocalServer.startFrom(file, folder)) {
      var root = new SimpleBindRequest("cn=admin", "wrong");
      int port = URI.create(server.listeners().getFirst()).getPort();
      LoggedBinds.bind(port, LoggedBinds.from("203.0.113.7"), root);
      LoggedBinds.bind(port, LoggedBinds.from("2001:db8::7"), root);
      LoggedBinds.bind(port, LoggedBinds.from("::ffff:203.0.113.8"), root);
      int tls = URI.create(server.listeners().get(1)).getPort();
      try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), tls)) {
        plain.getOutputStream().write("no TLS, but a password\n".getBytes(UTF_8));
        // An alert, or nothing, and the end.
        byte[] _ = plain.getInputStream().readAllBytes();
      }
      Processes.Result _ =
          Processes.ldapClient(
              folder,
              "ldapwhoami",
              "-x",
              "-H",
              server.listeners().get(2),
              "-D",
              "cn=admin",
              "-w",
              "x");
      ServerProcess.configure(folder, listeners + "\nlimits.sizeLimit = 7");
      server.reloadAndLog();
      ServerProcess.configure(folder, listeners + "\nlimits.sizeLimit = many");
      server.reloadAndLog();
    }
    List<JSONObject> events = new ArrayList<>();
    for (String line : LoggedBinds.lines(folder)) {
      events.add(new JSONObject(line));
    }
    assertThat(events.stream().map(event -> event.getFieldAsString("event")))
        .containsExactly(
            "bind-failed",
            "bind-failed",
            "bind-failed",
            "handshake-failed",
            "bind-failed",
            "certificates-read",
            "configuration-read",
            "configuration-refused");
    assertThat(events.stream().limit(4).map(event -> event.getFieldAsString("from")))
        .containsExactly("203.0.113.7", "2001:db8:0:0:0:0:0:7", "203.0.113.8", "127.0.0.1");
    assertThat(events.get(6).getFieldAsString("keys")).isEqualTo("nyala.limits.sizeLimit");
    assertThat(events.get(7).getFieldAsString("reason"))
        .contains("nyala.limits.sizeLimit: expected");
    assertThat(events.getFirst().getFieldAsString("proxy")).isEqualTo("127.0.0.1");
    assertThat(events.get(0).getFieldAsInteger("port")).isEqualTo(50_000);
    assertThat(events.get(3).getFieldAsString("reason")).isEqualTo("the client does not speak TLS");
    Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    assertThat(events.get(4).getField("from")).isNull();
    assertThat(events.get(4).getFieldAsInteger("uid")).isEqualTo(uid);
    assertThat(events.get(4).getFieldAsInteger("pid")).isPositive();
    assertThat(events.get(4).getFieldAsString("reason")).isEqualTo("wrong-password");
  }

  /** Otherwise somebody fails until the files of the log have been rotated away. */
  @Test
  void shouldNotLetOneSourceFillTheLog() throws Exception {
    int tries = 60;
    long seconds;
    try (RunningServer server =
        LocalServer.start(
            folder,
            "log.security.failuresPerSecond = 1, guessing { failuresPerName = 0,"
                + " failuresPerKnownSource = 0, failuresPerSource = 0 }")) {
      long began = System.nanoTime();
      try (LDAPConnection guesser = LocalServer.connect(server)) {
        for (int i = 0; i < tries; i++) {
          assertThat(LoggedBinds.code(guesser, new SimpleBindRequest("cn=admin", "guess" + i)))
              .isEqualTo(49);
        }
      }
      seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
      LocalServer.connectAsRoot(server).close();
    }
    List<String> events = events();
    long failures = events.stream().filter(line -> line.startsWith("bind-failed")).count();
    // Ten at once, and one for each second that it has taken, or has begun.
    assertThat(failures).isBetween(10L, 11 + seconds);
    assertThat(events)
        .filteredOn(line -> line.startsWith("lines-left-out-from-now-on"))
        .isNotEmpty();
    assertThat(events.getLast()).startsWith("bind code=0 ");
  }
}
