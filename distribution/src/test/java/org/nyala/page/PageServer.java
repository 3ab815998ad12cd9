package org.nyala.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.nyala.core.TestCertificates;
import org.nyala.management.ManagementBeans;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/**
 * A server with the live page, whose directory has names full of markup, and its beans, with which
 * the page is compared.
 *
 * <p>Confined to one thread.
 */
final class PageServer implements AutoCloseable {
  static final String TOP = "dc=example,dc=com";
  static final String PASSWORD = "correct horse \u00e4";
  static final String MARKUP = "<img src=x onerror=\"document.title='owned'\">";

  /** Enough for an export that does not fit into a pipe. */
  private static final int PEOPLE = 1500;

  private static final String POLICY = "cn=policy," + TOP;

  final Path folder;
  private final int port = FreePorts.take();
  private final Path configuration;
  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private final boolean isTls;
  private final HttpClient http = HttpClient.newHttpClient();
  private RunningServer server;
  private ManagementBeans beans;

  PageServer(Path folder) throws Exception {
    this(folder, false);
  }

  private PageServer(Path folder, boolean isTls) throws Exception {
    this.folder = folder;
    this.isTls = isTls;
    Path certificate =
        TestCertificates.make(folder, "localhost", "-keyalg EC -groupname secp256r1")
            .pem(folder.resolve("server.pem"));
    configuration =
        ServerProcess.configure(
            folder,
            """
            tls.certificate = "%s"
            passwordPolicy.default = "%s"
            access.anonymousRead = true
            log.slowMillis = 1
            guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
            management { http = "127.0.0.1:%d", httpTls = %b, httpAdmin { user = admin, password = "%s" } }
            """
                .formatted(certificate, POLICY, port, isTls, PASSWORD));
    Path ldif = Files.writeString(folder.resolve("data.ldif"), ldif());
    new LocalCommands().shouldSucceed(configuration, "import", ldif.toString());
    start();
  }

  /** Starts a server whose page is served over TLS, with a certificate that nobody vouches for. */
  static PageServer encrypted(Path folder) throws Exception {
    return new PageServer(folder, true);
  }

  private static String ldif() {
    StringBuilder ldif = new StringBuilder("dn: " + TOP + "\nobjectClass: domain\ndc: example\n");
    ldif.append("\ndn: ")
        .append(POLICY)
        .append("\nobjectClass: device\nobjectClass: pwdPolicy\ncn: policy\n")
        .append("pwdAttribute: userPassword\npwdLockout: TRUE\npwdMaxFailure: 2\n");
    for (int i = 0; i < PEOPLE; i++) {
      ldif.append("\ndn: uid=u")
          .append(i)
          .append(',')
          .append(TOP)
          .append("\nobjectClass: inetOrgPerson\ncn: Person ")
          .append(i)
          .append("\nsn: P\ndescription: ")
          .append("x".repeat(100))
          .append('\n');
    }
    return ldif.toString();
  }

  void start() throws Exception {
    server = LocalServer.startFrom(configuration, folder);
    beans = server.register(registry);
  }

  void stop() {
    beans.close();
    server.close();
  }

  String url() {
    return (isTls ? "https" : "http") + "://127.0.0.1:" + port + "/";
  }

  RunningServer running() {
    return server;
  }

  X509Certificate certificate() throws Exception {
    try (InputStream in = Files.newInputStream(folder.resolve("server.pem"))) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  /** Returns the time at which the certificate ends. */
  Instant certificateEnd() throws Exception {
    return certificate().getNotAfter().toInstant();
  }

  Path configuration() {
    return configuration;
  }

  <T> T bean(String name, Class<T> type) throws Exception {
    return JMX.newMXBeanProxy(registry, new ObjectName(name), type);
  }

  LDAPConnection root() throws LDAPException {
    return LocalServer.connectAsRoot(server);
  }

  LDAPConnection anonymous() throws LDAPException {
    return LocalServer.connect(server);
  }

  /** Returns the name of an account with markup in it. */
  static String hostileName(String more) {
    return new DN(new RDN("uid", MARKUP + more), new RDN("dc", "example"), new RDN("dc", "com"))
        .toString();
  }

  /** Adds an account with markup in its name. */
  String addHostile(LDAPConnection root, String more) throws LDAPException {
    String dn = hostileName(more);
    root.add(
        dn,
        new Attribute("objectClass", "inetOrgPerson"),
        new Attribute("cn", MARKUP),
        new Attribute("sn", MARKUP),
        new Attribute("userPassword", "secret"));
    return dn;
  }

  /** Has the policy lock an account. */
  void lock(String dn) throws LDAPException {
    for (int i = 0; i < 3; i++) {
      try (LDAPConnection client = anonymous()) {
        client.bind(dn, "wrong");
        throw new AssertionError("a wrong password lets in");
      } catch (LDAPException e) {
        assertThat(e.getResultCode().intValue()).isEqualTo(49);
      }
    }
  }

  /** Searches by something that has no index. */
  static void searchSlowly(LDAPConnection client) throws LDAPException {
    client.search(TOP, SearchScope.SUB, "(description=*<b>y*)");
  }

  /** Sends an action without the page. */
  HttpResponse<String> act(String action, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url() + "page/actions/" + action))
            .header("Content-Type", "application/json")
            .header("X-Nyala-Page", "1")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Returns what the server sends to pages. */
  String data() throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create(url() + "page/data")).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  String securityLog() throws IOException {
    return Files.readString(folder.resolve("logs/security.log"));
  }

  /** Waits for a line of the security log. */
  void awaitLogged(String part) throws IOException {
    eventually(part + " is logged", () -> securityLog().contains(part));
  }

  @Override
  public void close() {
    stop();
    http.close();
  }
}
