package org.nyala.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.util.json.JSONObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.directory.SearchExplainers;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Scope;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;

/** Tests explanations that clients request with a control. */
@Timeout(300)
class ExplainControlTest {
  private static final String OID = "2.25.255841831655906417978202072494760795204";
  private static final String SUFFIX = "dc=example,dc=com";
  private static final int PEOPLE = 300;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection client;

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.start(folder, "access.anonymousRead = true");
    client = LocalServer.connectAsRoot(server);
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
    for (int i = 0; i < PEOPLE; i++) {
      client.add(
          "dn: uid=u" + i + "," + SUFFIX,
          "objectClass: inetOrgPerson",
          "cn: c" + i,
          "sn: s",
          "title: title " + i % 100,
          "userPassword: secret");
    }
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private String url() {
    return server.listeners().getFirst();
  }

  private LDAPConnection connect(String dn, String password) throws LDAPException {
    return new LDAPConnection("127.0.0.1", LocalServer.port(server), dn, password);
  }

  private static SearchResult search(
      LDAPConnection by, String base, String filter, Control... controls) throws LDAPException {
    SearchRequest request = new SearchRequest(base, SearchScope.SUB, filter);
    request.setControls(controls);
    return by.search(request);
  }

  private static Control explain(boolean isCritical) {
    return new Control(OID, isCritical);
  }

  private static JSONObject explanation(SearchResult result) throws Exception {
    Control control = result.getResponseControl(OID);
    assertThat(control).as(result.toString()).isNotNull();
    assertThat(control.isCritical()).isFalse();
    return new JSONObject(control.getValue().stringValue());
  }

  private static void assertRefused(
      ResultCode code, LDAPConnection by, String base, Control... all) {
    assertThatThrownBy(() -> search(by, base, "(title=x)", all))
        .isInstanceOfSatisfying(
            LDAPSearchException.class, e -> assertThat(e.getResultCode()).isEqualTo(code));
  }

  @Test
  void shouldTellRootHowASearchIsCarriedOut() throws Exception {
    assertThat(client.getRootDSE().supportsControl(OID)).isTrue();
    SearchResult result = search(client, SUFFIX, "(title=Title 7)", explain(true));
    assertThat(result.getEntryCount()).isZero();
    JSONObject found = explanation(result);
    assertThat(found.getFieldAsString("base")).isEqualTo(SUFFIX);
    assertThat(found.getFieldAsString("scope")).isEqualTo("sub");
    assertThat(found.getFieldAsString("filter")).isEqualTo("(title=Title 7)");
    assertThat(found.getFieldAsString("plan")).startsWith("no index helps");
    assertThat(found.getFieldAsInteger("entriesRead")).isEqualTo(PEOPLE + 1);
    assertThat(found.getFieldAsInteger("results")).isEqualTo(3);
    assertThat(found.getFieldAsBoolean("complete")).isTrue();
    JSONObject term = (JSONObject) found.getFieldAsArray("terms").getFirst();
    assertThat(term.getFieldAsString("filter")).isEqualTo("(title=Title 7)");
    assertThat(term.getFieldAsString("note")).isEqualTo("no index");
    JSONObject advice = (JSONObject) found.getFieldAsArray("advice").getFirst();
    assertThat(advice.getFieldAsString("command")).isEqualTo("bin/nyala index add title:eq");
    assertThat(server.explaining().getExplained()).isEqualTo(1);
    // Without the control nothing changes.
    SearchResult entries = search(client, SUFFIX, "(title=Title 7)");
    assertThat(entries.getEntryCount()).isEqualTo(3);
    assertThat(entries.getResponseControls()).isEmpty();
  }

  /**
   * Clients that may read entries must not learn how many others there are, or how they are found.
   */
  @Test
  void shouldBeRootsAlone() throws Exception {
    try (LDAPConnection user = connect("uid=u1," + SUFFIX, "secret");
        LDAPConnection nobody = connect("", "")) {
      for (LDAPConnection other : List.of(user, nobody)) {
        assertRefused(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, other, SUFFIX, explain(true));
        SearchResult ignored = search(other, SUFFIX, "(title=title 7)", explain(false));
        assertThat(ignored.getEntryCount()).isEqualTo(3);
        assertThat(ignored.getResponseControls()).isEmpty();
        // Nor whether an entry exists.
        String nowhere = "ou=none," + SUFFIX;
        assertRefused(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, other, nowhere, explain(true));
      }
    }
    Control other = new ProxiedAuthorizationV2RequestControl("dn:uid=u1," + SUFFIX);
    assertRefused(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, client, SUFFIX, explain(true), other);
    assertThat(server.explaining().getExplained()).isZero();
  }

  @Test
  void shouldRefuseWhatCannotBeExplained() {
    assertRefused(
        ResultCode.UNWILLING_TO_PERFORM,
        client,
        SUFFIX,
        explain(true),
        new SimplePagedResultsControl(5));
    assertRefused(ResultCode.UNWILLING_TO_PERFORM, client, "cn=Monitor", explain(true));
    assertRefused(ResultCode.UNWILLING_TO_PERFORM, client, "cn=Subschema", explain(true));
    Control withValue = new Control(OID, true, new ASN1OctetString("x"));
    assertRefused(ResultCode.PROTOCOL_ERROR, client, SUFFIX, withValue);
    assertThatThrownBy(() -> search(client, "ou=none," + SUFFIX, "(title=x)", explain(true)))
        .isInstanceOfSatisfying(
            LDAPSearchException.class,
            e -> {
              assertThat(e.getResultCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
              assertThat(e.getMatchedDN()).isEqualTo(SUFFIX);
            });
  }

  @Test
  void shouldAnswerDebiansClient() throws Exception {
    Processes.Result result =
        Processes.ldapClient(
                folder,
                "ldapsearch",
                "-x",
                "-o",
                "ldif-wrap=no",
                "-H",
                url(),
                "-D",
                "cn=admin",
                "-w",
                "admin",
                "-b",
                SUFFIX,
                "-e",
                "!" + OID,
                "(uid=u7)")
            .shouldSucceed();
    Optional<String> line =
        result.out().lines().filter(each -> each.startsWith("control: " + OID)).findFirst();
    assertThat(line).as(result.out()).isPresent();
    String value = line.get().replaceAll(".* ", "");
    JSONObject found = new JSONObject(new String(Base64.getDecoder().decode(value), UTF_8));
    assertThat(found.getFieldAsInteger("entriesRead")).isEqualTo(1);
    assertThat(found.getFieldAsInteger("results")).isEqualTo(1);
    assertThat(result.out()).doesNotContain("dn: uid=u7");
  }

  private SearchExplainers.Question question(boolean isWanted, Consumer<LdapResult> answer) {
    return new SearchExplainers.Question(
        server.served().store(),
        Dn.EMPTY,
        Scope.SUBTREE,
        new FilterNode.Present("objectClass"),
        CompiledFilter.Constant.TRUE,
        10,
        () -> isWanted,
        answer);
  }

  @Test
  void shouldAnswerEveryQuestionOnceAndTakeOnlySoMany() throws Exception {
    BlockingQueue<ResultCodeOf> answers = new LinkedBlockingQueue<>();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (LdapExplainService explanations = new LdapExplainService(server.explaining())) {
      assertThat(
              explanations.explain(
                  question(
                      true,
                      answer -> {
                        answers.add(new ResultCodeOf(answer));
                        begun.countDown();
                        try {
                          goOn.await();
                        } catch (InterruptedException e) {
                          Thread.currentThread().interrupt();
                        }
                      })))
          .isTrue();
      begun.await();
      List<Boolean> taken = new ArrayList<>();
      for (int i = 0; i < 17; i++) {
        boolean isWanted = i > 0;
        taken.add(
            explanations.explain(
                question(isWanted, answer -> answers.add(new ResultCodeOf(answer)))));
      }
      assertThat(taken).hasSize(17).endsWith(false).containsOnlyOnce(false);
      goOn.countDown();
      // The first one, and the abandoned one.
      assertThat(answers.take().name()).isEqualTo("SUCCESS");
      assertThat(answers.take().name()).isEqualTo("CANCELED");
    }
    eventually("all are answered", () -> answers.size() == 15);
    assertThat(answers)
        .extracting(ResultCodeOf::name)
        .containsAnyOf("SUCCESS", "UNAVAILABLE")
        .hasSize(15);
  }

  private record ResultCodeOf(LdapResult result) {
    String name() {
      return result.code().name();
    }
  }
}
