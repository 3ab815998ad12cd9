package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestAuthority;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;

/** Tests certificates of clients on the wire, with both engines and both versions of TLS. */
class ClientCertificateTest extends ClientCertificateTestCase {
  @ParameterizedTest
  @CsvSource({"jdk,TLSv1.3", "jdk,TLSv1.2", "boringssl,TLSv1.3", "boringssl,TLSv1.2"})
  void shouldDemandGoodCertificates(String engine, String protocol) throws Exception {
    start(engine, OPTIONAL);
    shouldServe(new ProvenClient(null), protocol);
    shouldServe(new ProvenClient(alice), protocol);
    shouldServe(new ProvenClient(ten), protocol);
    for (Map.Entry<String, Issued> bad : BAD.entrySet()) {
      shouldRefuse(new ProvenClient(bad.getValue()), protocol);
    }
    Path _ = configure(engine, "clientCertificate = required");
    reload();
    shouldRefuse(new ProvenClient(null), protocol);
    shouldServe(new ProvenClient(alice), protocol);
    shouldRefuse(new ProvenClient(BAD.get("unknown")), protocol);
    Path _ = configure(engine, "clientCertificate = none");
    reload();
    shouldServe(new ProvenClient(BAD.get("unknown")), protocol);
    shouldBeAtRest();
  }

  /** Returns the certificate that a connection of a client has, once it is bound as root. */
  private List<@Nullable X509Certificate> exposed(LDAPConnection client) throws Exception {
    ConcurrentLinkedQueue<Optional<X509Certificate>> seen = new ConcurrentLinkedQueue<>();
    SearchRequest search =
        new SearchRequest(
            new AsyncSearchResultListener() {
              private static final long serialVersionUID = 1;

              @Override
              public void searchEntryReturned(SearchResultEntry entry) {}

              @Override
              public void searchReferenceReturned(SearchResultReference reference) {}

              @Override
              public void searchResultReceived(AsyncRequestID id, SearchResult result) {}
            },
            "dc=example,dc=com",
            SearchScope.BASE,
            "(objectClass=*)");
    search.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, false));
    AsyncRequestID id = client.asyncSearch(search);
    eventually(
        "it runs",
        () -> {
          server
              .served()
              .wire()
              .visitRunning(
                  operation ->
                      seen.add(
                          Optional.ofNullable(
                              operation.session().connection().clientCertificate())));
          return !seen.isEmpty();
        });
    client.abandon(id);
    List<@Nullable X509Certificate> all = new ArrayList<>();
    seen.forEach(each -> all.add(each.orElse(null)));
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldExposeTheCertificate(String engine) throws Exception {
    start(engine, OPTIONAL);
    int clear = URI.create(server.listeners().get(0)).getPort();
    try (LDAPConnection plain = new LDAPConnection("127.0.0.1", clear, "cn=admin", "admin")) {
      plain.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      assertThat(exposed(plain)).containsOnlyNulls();
    }
    ProvenClient proven = new ProvenClient(alice);
    // The second connection resumes the session of the first.
    for (int i = 0; i < 2; i++) {
      try (LDAPConnection client =
          new LDAPConnection(
              proven.context().getSocketFactory(), "127.0.0.1", port(), "cn=admin", "admin")) {
        assertThat(exposed(client)).containsOnly(alice.certificate());
      }
    }
    ProvenClient unproven = new ProvenClient(null);
    for (int i = 0; i < 2; i++) {
      try (LDAPConnection client =
          new LDAPConnection(
              unproven.context().getSocketFactory(), "127.0.0.1", port(), "cn=admin", "admin")) {
        assertThat(exposed(client)).containsOnlyNulls();
      }
    }
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", clear)) {
      assertThat(
              client
                  .processExtendedOperation(new StartTLSExtendedRequest(proven.context()))
                  .getResultCode())
          .isEqualTo(ResultCode.SUCCESS);
      client.bind("cn=admin", "admin");
      assertThat(exposed(client)).containsOnly(alice.certificate());
    }
    shouldBeAtRest();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldDemandThemAfterStartTls(String engine) throws Exception {
    start(engine, "clientCertificate = required");
    int clear = URI.create(server.listeners().get(0)).getPort();
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", clear)) {
      assertThat(client.getRootDSE()).isNotNull();
      assertThatThrownBy(
              () -> {
                ExtendedResult _ =
                    client.processExtendedOperation(
                        new StartTLSExtendedRequest(
                            new ProvenClient(BAD.get("expired")).context()));
                client.bind("cn=admin", "admin");
              })
          .isInstanceOf(LDAPException.class);
    }
    eventually("it is counted", () -> metrics().tlsFailures().sum() == 1);
    shouldBeAtRest();
  }

  @Test
  void shouldServeClientsOfOtherLibraries() throws Exception {
    start("auto", "clientCertificate = required");
    Path chain = certificates.resolve("alice.pem");
    String text = alice.pem();
    int key = text.indexOf("-----BEGIN PRIVATE");
    Files.writeString(chain, text.substring(0, key));
    Path keyFile = Files.writeString(certificates.resolve("alice.key"), text.substring(key));
    gnutls(chain, keyFile, "NORMAL").shouldSucceed();
    assertThat(metrics().tlsFailures().sum()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldLogWhatIsRefused(String engine) throws Exception {
    start(engine, OPTIONAL);
    ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(new SimpleFormatter().formatMessage(record));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("org.nyala.netty.tls.HandshakeLog");
    log.addHandler(handler);
    try {
      Issued mallory = TestAuthority.root("CN=Other").issue(Content.client("CN=mal\u001blory"));
      shouldRefuse(new ProvenClient(mallory), "TLSv1.3");
      eventually("it is logged", () -> !lines.isEmpty());
    } finally {
      log.removeHandler(handler);
    }
    assertThat(lines)
        .singleElement()
        .asString()
        .contains(
            "the certificate of \"CN=mal\\u001blory\" is refused: it leads to no authority of"
                + " tls.clientCa, but to \"CN=Other\"")
        .doesNotContainPattern("\\p{Cntrl}");
  }
}
