package org.nyala.sasl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.BindResult;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import com.unboundid.util.ssl.SSLUtil;
import com.unboundid.util.ssl.TrustAllTrustManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.naming.Context;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.BasicAttribute;
import javax.naming.directory.BasicAttributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.security.auth.Subject;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestCertificates;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;

/** Tests GSSAPI and its layers with clients of others. */
@SuppressWarnings({"JdkObsolete", "BanJNDI"}) // JNDI is under test, and it requires Hashtable.
class GssapiBindTest extends GssapiTestCase {
  private static final String BOBS_OWN = "uid=bob,cn=example.com,cn=gssapi,cn=auth";
  private static final int ENTRIES = 2000;

  @BeforeAll
  static void serve() throws Exception {
    TestCertificates.Pair pair =
        TestCertificates.make(folder, "localhost", "-keyalg EC -groupname secp256r1");
    serve(
        """
        tls.certificate = "%s"
        security.minimumStrength.write = 128, access.writers = ["uid=ann,dc=example,dc=com"]
        """
            .formatted(pair.pem(folder.resolve("server.pem"))));
    try (LDAPConnection root = root()) {
      addUsers(root);
    }
  }

  /** Returns a client of the root account, encrypted by TLS. */
  private static LDAPConnection root() throws Exception {
    LDAPConnection root = LocalServer.connect(server);
    SSLUtil tls = new SSLUtil(new TrustAllTrustManager());
    ExtendedResult result =
        root.processExtendedOperation(new StartTLSExtendedRequest(tls.createSSLContext()));
    assertThat(result.getResultCode()).isEqualTo(ResultCode.SUCCESS);
    BindResult _ = root.bind("cn=admin", "admin");
    return root;
  }

  private static Processes.Result run(String user, String program, String... options)
      throws Exception {
    Map<String, String> environment = realm.programsOf(user);
    List<String> command =
        new ArrayList<>(
            List.of(
                "/usr/bin/" + program,
                "-N",
                "-Q",
                "-H",
                "ldap://localhost:" + LocalServer.port(server)));
    command.addAll(List.of(options));
    return Processes.run(folder, environment, command);
  }

  private static String whoAmI(String user, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of("-Y", "GSSAPI"));
    all.addAll(List.of(options));
    return run(user, "ldapwhoami", all.toArray(String[]::new)).shouldSucceed().out().strip();
  }

  @Test
  void shouldKnowUsersByTheirTickets() throws Exception {
    assertThat(whoAmI("ann")).isEqualTo("dn:" + ANN);
    // Only rules that name GSSAPI apply.
    assertThat(whoAmI("bob")).isEqualToIgnoringCase("dn:" + BOBS_OWN);
    assertThat(whoAmI("chief")).isEqualTo("dn:cn=admin");
    assertThat(
            run(
                    "ann",
                    "ldapsearch",
                    "-Y",
                    "GSSAPI",
                    "-LLL",
                    "-s",
                    "base",
                    "-b",
                    "",
                    "supportedSASLMechanisms")
                .shouldSucceed()
                .out())
        .contains(": GSSAPI\n");
  }

  @Test
  void shouldActAsOthersOnlyIfRoot() throws Exception {
    assertThat(whoAmI("chief", "-X", "dn:" + ANN)).isEqualTo("dn:" + ANN);
    assertThat(whoAmI("chief", "-X", "u:to-zoe")).isEqualTo("dn:uid=zoe," + BASE);
    assertThat(whoAmI("ann", "-X", "dn:" + ANN)).isEqualTo("dn:" + ANN);
    for (String other : List.of("dn:cn=admin", "u:to-zoe", "u:nobody", "dn:x")) {
      assertThat(run("ann", "ldapwhoami", "-Y", "GSSAPI", "-X", other).err())
          .as(other)
          .contains("(50)");
    }
  }

  /** Layers of libsasl: none, one against changes, one that encrypts, with TLS none. */
  @ParameterizedTest
  @CsvSource({"maxssf=0, 13", "'minssf=1,maxssf=1', 13", "minssf=56, 0"})
  void shouldCountTheStrengthOfLayers(String properties, int exitCode) throws Exception {
    assertThat(whoAmI("ann", "-O", properties)).isEqualTo("dn:" + ANN);
    Processes.Result result =
        run("ann", "ldapmodify", "-Y", "GSSAPI", "-O", properties, "-f", change().toString());
    assertThat(result.exitCode()).as(result.err()).isEqualTo(exitCode);
  }

  private static Path change() throws Exception {
    return Files.writeString(
        folder.resolve("change.ldif"),
        "dn: " + ANN + "\nchangetype: modify\nreplace: description\ndescription: a\n");
  }

  @Test
  void shouldHaveNoLayersOverTls() throws Exception {
    Map<String, String> environment = realm.programsOf("ann");
    environment.put("LDAPTLS_REQCERT", "never");
    environment.remove("LDAPNOINIT");
    String url = "ldap://localhost:" + LocalServer.port(server);
    List<String> command = List.of("/usr/bin/ldapwhoami", "-N", "-ZZ", "-H", url, "-Y", "GSSAPI");
    Processes.Result result = Processes.run(folder, environment, command).shouldSucceed();
    assertThat(result.out().strip()).isEqualTo("dn:" + ANN);
    assertThat(result.err()).contains("SASL SSF: 0");
  }

  private static void addEntries() throws Exception {
    try (LDAPConnection root = root()) {
      if (root.getEntry("uid=x1," + BASE) != null) {
        return;
      }
      List<AsyncRequestID> requests = new ArrayList<>();
      for (int i = 0; i < ENTRIES; i++) {
        requests.add(
            root.asyncAdd(
                new AddRequest(
                    "dn: uid=x" + i + "," + BASE,
                    "objectClass: account",
                    "uid: x" + i,
                    "description: " + "abcdefghij".repeat(20)),
                null));
      }
      for (AsyncRequestID request : requests) {
        LDAPResult result = request.get();
        assertThat(result.getResultCode()).isEqualTo(ResultCode.SUCCESS);
      }
    }
  }

  /** The answers take many wrapped buffers. */
  @ParameterizedTest
  @ValueSource(
      strings = {"maxssf=0", "minssf=1,maxssf=1", "minssf=256", "minssf=56,maxbufsize=4096"})
  void shouldSendLongAnswers(String properties) throws Exception {
    addEntries();
    String out =
        run(
                "ann",
                "ldapsearch",
                "-Y",
                "GSSAPI",
                "-O",
                properties,
                "-LLL",
                "-E",
                "pr=5000/noprompt",
                "-b",
                BASE,
                "(uid=x*)")
            .shouldSucceed()
            .out();
    assertThat(out.lines().filter(line -> line.startsWith("dn: "))).hasSize(ENTRIES);
    assertThat(out.lines().filter(line -> line.startsWith("description: "))).hasSize(ENTRIES);
  }

  private static DirContext jndi(Subject user, String layer, boolean isMutual) throws Exception {
    Hashtable<String, Object> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    environment.put(Context.PROVIDER_URL, "ldap://localhost:" + LocalServer.port(server));
    environment.put(Context.SECURITY_AUTHENTICATION, "GSSAPI");
    environment.put("javax.security.sasl.qop", layer);
    environment.put("javax.security.sasl.server.authentication", Boolean.toString(isMutual));
    Callable<DirContext> opening = () -> new InitialDirContext(environment);
    return Subject.callAs(user, opening);
  }

  @ParameterizedTest
  @ValueSource(strings = {"auth", "auth-int", "auth-conf"})
  void shouldServeJndi(String layer) throws Exception {
    addEntries();
    DirContext context = jndi(ann, layer, true);
    try {
      SearchControls controls = new SearchControls();
      controls.setSearchScope(SearchControls.SUBTREE_SCOPE);
      NamingEnumeration<SearchResult> found = context.search(BASE, "(uid=x12*)", controls);
      int count = 0;
      while (found.hasMore()) {
        count++;
        assertThat(found.next().getAttributes().get("description").get()).isNotNull();
      }
      assertThat(count).isEqualTo(111);
      if (layer.equals("auth-conf")) {
        shouldTakeLongRequests(context);
      }
    } finally {
      context.close();
    }
  }

  /** A request takes several wrapped buffers as well. */
  private static void shouldTakeLongRequests(DirContext context) throws NamingException {
    BasicAttributes attributes = new BasicAttributes("description", "b".repeat(200_000));
    context.modifyAttributes(ANN, DirContext.REPLACE_ATTRIBUTE, attributes);
    BasicAttribute read =
        (BasicAttribute)
            context.getAttributes(ANN, new String[] {"description"}).get("description");
    assertThat((String) read.get()).hasSize(200_000);
  }

  @Test
  void shouldWantToProveItself() {
    assertThatThrownBy(() -> jndi(ann, "auth", false))
        .hasStackTraceContaining("sasl.gssapi.requireMutual");
  }

  @Test
  void shouldBindUnderEveryStrategy() throws Exception {
    try {
      for (String strategy : DispatchStrategies.OFFERED) {
        String _ = server.dispatchManagement().switchStrategy(strategy);
        for (int layer : List.of(GssapiClient.AUTH_INT, GssapiClient.AUTH_CONF)) {
          try (GssapiClient client = client(bob).bound(bob, layer)) {
            assertThat(client.identity()).isEqualToIgnoringCase("dn:" + BOBS_OWN);
          }
        }
      }
    } finally {
      String _ = server.dispatchManagement().switchStrategy(DispatchStrategies.DEFAULT);
    }
  }

  /** The layer stays, whoever binds; no other one is put on top of it, and no TLS. */
  @Test
  void shouldKeepTheLayer() throws Exception {
    try (GssapiClient client = client(bob).bound(bob, GssapiClient.AUTH_CONF)) {
      client.write(client.wrap(client.extended("1.3.6.1.4.1.1466.20037")));
      assertThat(client.answer().getResultCode()).isEqualTo(ResultCode.OPERATIONS_ERROR_INT_VALUE);
      client.write(client.wrap(client.anonymousBind()));
      assertThat(client.unwrapped()).isNotNull();
      assertThat(client.identity()).isEmpty();
      assertThat(client.bindAgain(ann)).isEqualTo(GssapiClient.AUTH);
      assertThat(client.identity()).isEqualTo("dn:" + ANN);
    }
  }

  @Test
  void shouldTakeANewKey() throws Exception {
    realm.admin("ktadd -k " + realm.keytab("server") + " ldap/localhost");
    Subject later = realm.login("ann");
    try (GssapiClient client = client(later).bound(later, GssapiClient.AUTH_CONF)) {
      assertThat(client.identity()).isEqualTo("dn:" + ANN);
    }
  }
}
