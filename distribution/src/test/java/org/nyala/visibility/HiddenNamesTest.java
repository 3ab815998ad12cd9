package org.nyala.visibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.CompareRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SubtreeDeleteRequestControl;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/**
 * Asks about names of which the client may know nothing, once with entries and once without: the
 * answers have the same bytes.
 */
@Timeout(300)
class HiddenNamesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String OWN = "ou=own," + TOP;
  private static final String SECRET = "ou=secret," + TOP;
  private static final String ANN = "uid=ann," + TOP;
  private static final List<String> HIDDEN =
      List.of("uid=t," + SECRET, "cn=hop," + SECRET, "ou=elsewhere," + SECRET);
  private static final String RULES =
      """
      to attributes userPassword
        self may read
        anonymous may authenticate
      to entry "cn=blind,ou=own,dc=example,dc=com" attributes aliasedObjectName
        all may nothing
      to entry "ou=open,ou=secret,dc=example,dc=com"
        users may read
      to subtree "ou=secret,dc=example,dc=com"
        all may nothing
      to subtree "ou=own,dc=example,dc=com"
        users may read, write
      to all
        all may read
      """;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file = ServerProcess.configure(folder, "access.rules = access.rules");
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add("dn: " + OWN, "objectClass: organizationalUnit", "ou: own");
    root.add("dn: " + SECRET, "objectClass: organizationalUnit", "ou: secret");
    root.add("dn: ou=open," + SECRET, "objectClass: organizationalUnit", "ou: open");
    root.add(
        "dn: " + ANN, "objectClass: inetOrgPerson", "cn: Ann", "sn: A", "userPassword: secret");
    try (LDAPConnection ann = LocalServer.connect(server)) {
      ann.bind(ANN, "secret");
      alias(root, "blind", TOP);
      alias(ann, "t", HIDDEN.get(0));
      alias(ann, "x", "uid=x," + HIDDEN.get(0));
      alias(ann, "hop", HIDDEN.get(1));
      alias(ann, "hops", "cn=hop," + OWN);
      alias(ann, "refer", HIDDEN.get(2));
      alias(ann, "below", "uid=x," + HIDDEN.get(2));
      alias(ann, "top", SECRET);
      alias(ann, "open", "ou=open," + SECRET);
      ann.add(
          "dn: uid=pointer," + OWN,
          "objectClass: inetOrgPerson",
          "cn: p",
          "sn: p",
          "seeAlso: " + HIDDEN.get(0));
    }
  }

  private static void alias(LDAPConnection client, String name, String target) throws Exception {
    client.add(
        "dn: cn=" + name + "," + OWN,
        "objectClass: alias",
        "objectClass: extensibleObject",
        "cn: " + name,
        "aliasedObjectName: " + target);
  }

  @AfterEach
  void stop() {
    root.close();
    server.close();
  }

  private void addHidden() throws Exception {
    root.add(
        "dn: " + HIDDEN.get(0), "objectClass: inetOrgPerson", "cn: T", "sn: T", "userPassword: t");
    alias(root, HIDDEN.get(1), ANN, SECRET);
    leadBlindTo(ANN);
    root.add(
        "dn: " + HIDDEN.get(2),
        "objectClass: referral",
        "objectClass: extensibleObject",
        "ou: elsewhere",
        "ref: ldap://127.0.0.1:1/ou=elsewhere");
  }

  private static void alias(LDAPConnection client, String name, String target, String parent)
      throws Exception {
    client.add(
        "dn: " + name,
        "objectClass: alias",
        "objectClass: extensibleObject",
        "cn: " + name.substring(3, name.length() - parent.length() - 1),
        "aliasedObjectName: " + target);
  }

  /** Sets the target of the alias whose target the client may not read. */
  private void leadBlindTo(String name) throws LDAPException {
    ModifyRequest modify =
        new ModifyRequest(
            "cn=blind," + OWN,
            new Modification(ModificationType.REPLACE, "aliasedObjectName", name));
    root.modify(modify);
  }

  private void deleteHidden() throws LDAPException {
    leadBlindTo("uid=none," + TOP);
    for (String name : HIDDEN) {
      DeleteRequest delete = new DeleteRequest(name);
      delete.addControl(new ManageDsaITRequestControl(true));
      root.delete(delete);
    }
  }

  @Test
  void shouldAnswerAboutHiddenNamesAsAboutNone() throws Exception {
    addHidden();
    Map<String, String> hidden = answers();
    deleteHidden();
    Map<String, String> none = answers();
    assertThat(hidden).hasSizeGreaterThan(300).hasSameSizeAs(none);
    assertThat(none).allSatisfy((what, answer) -> assertThat(hidden).containsEntry(what, answer));
  }

  private Map<String, String> answers() throws Exception {
    Map<String, String> answers = new LinkedHashMap<>();
    try (RawClient ann = new RawClient(server, ANN, "secret")) {
      for (String name : List.of("t", "x", "hop", "hops", "refer", "below", "blind")) {
        String alias = "cn=" + name + "," + OWN;
        askAround(ann, alias, answers);
        askAround(ann, "uid=y," + alias, answers);
      }
      searchEverywhere(ann, OWN, answers);
      searchEverywhere(ann, TOP, answers);
      for (String name : HIDDEN) {
        askAround(ann, name, answers);
        askAround(ann, "uid=y," + name, answers);
        answers.put("rename " + name, ann.ask(move(name, "cn=z", null)));
        answers.put("move below " + name, ann.ask(move("uid=pointer," + OWN, "uid=q", name)));
        askAs(ann, name, answers);
        changeEach(ann, name, answers);
      }
      answers.put("named", ann.ask(search(OWN, SearchScope.SUB, DereferencePolicy.NEVER), named()));
      for (String name : HIDDEN) {
        answers.put("bind " + name, ann.ask(new BindRequestProtocolOp(name, "wrong")));
      }
    }
    return answers;
  }

  private static void askAround(RawClient client, String name, Map<String, String> answers)
      throws Exception {
    searchEverywhere(client, name, answers);
    answers.put(
        "compare " + name,
        client.ask(new CompareRequestProtocolOp(name, "cn", new ASN1OctetString("x"))));
    answers.put("add below " + name, client.ask(unit("ou=new," + name)));
    answers.put(
        "modify " + name,
        client.ask(
            new ModifyRequestProtocolOp(
                name, List.of(new Modification(ModificationType.REPLACE, "nosuch", "x"))),
            new ManageDsaITRequestControl(false)));
    answers.put("delete below " + name, client.ask(new DeleteRequestProtocolOp("ou=no," + name)));
  }

  private static void searchEverywhere(RawClient client, String name, Map<String, String> answers)
      throws Exception {
    for (DereferencePolicy policy : List.of(DereferencePolicy.values())) {
      for (SearchScope scope : SearchScope.values()) {
        SearchRequestProtocolOp search = search(name, scope, policy);
        String what = "search " + name + " " + scope + " " + policy;
        answers.put(what, client.ask(search));
        answers.put(what + " managed", client.ask(search, new ManageDsaITRequestControl(true)));
      }
    }
  }

  /** Acts as the entry of a name, and asks about its rights. */
  private static void askAs(RawClient client, String name, Map<String, String> answers)
      throws Exception {
    SearchRequestProtocolOp search = search(OWN, SearchScope.BASE, DereferencePolicy.NEVER);
    answers.put(
        "act as " + name,
        client.ask(search, new ProxiedAuthorizationV2RequestControl("dn:" + name)));
    answers.put(
        "rights of " + name,
        client.ask(
            search,
            new Control("1.3.6.1.4.1.42.2.27.9.5.2", true, new ASN1OctetString("dn:" + name))));
  }

  /** Changes the entry of a name, which the client may not, in further ways. */
  private static void changeEach(RawClient client, String name, Map<String, String> answers)
      throws Exception {
    List<Control> controls =
        List.of(
            new ManageDsaITRequestControl(false),
            new PreReadRequestControl(true, "*"),
            new AssertionRequestControl("(cn=T)", true),
            new SubtreeDeleteRequestControl(true));
    for (Control control : controls) {
      answers.put(
          "delete " + name + control.getOID(),
          client.ask(new DeleteRequestProtocolOp(name), control));
    }
    ModifyRequestProtocolOp modify =
        new ModifyRequestProtocolOp(
            name, List.of(new Modification(ModificationType.REPLACE, "cn", "x")));
    for (Control control : controls.subList(0, 3)) {
      answers.put("modify " + name + control.getOID(), client.ask(modify, control));
    }
    answers.put("add " + name, client.ask(unit(name)));
    answers.put(
        "password of " + name,
        client.ask(
            extended(new PasswordModifyExtendedRequest("dn:" + name, (String) null, "new"))));
    ASN1Sequence refresh =
        new ASN1Sequence(new ASN1OctetString((byte) 0x80, name), new ASN1Integer((byte) 0x81, 100));
    answers.put(
        "refresh " + name,
        client.ask(
            new ExtendedRequestProtocolOp(
                "1.3.6.1.4.1.1466.101.119.1", new ASN1OctetString(refresh.encode()))));
  }

  private static ExtendedRequestProtocolOp extended(ExtendedRequest request) {
    return new ExtendedRequestProtocolOp(request.getOID(), request.getValue());
  }

  private static SearchRequestProtocolOp search(
      String name, SearchScope scope, DereferencePolicy policy) throws LDAPException {
    return new SearchRequestProtocolOp(
        name, scope, policy, 0, 0, false, Filter.create("(objectClass=*)"), List.of("cn", "ou"));
  }

  private static AddRequestProtocolOp unit(String name) {
    return new AddRequestProtocolOp(
        name,
        List.of(new Attribute("objectClass", "organizationalUnit"), new Attribute("ou", "new")));
  }

  private static ModifyDNRequestProtocolOp move(String name, String rdn, String superior) {
    return new ModifyDNRequestProtocolOp(name, rdn, true, superior);
  }

  private static Control named() {
    byte[] value =
        new ASN1Sequence(
                new ASN1Sequence(
                    new ASN1OctetString("seeAlso"), new ASN1Sequence(new ASN1OctetString("cn"))))
            .encode();
    return new Control("1.3.6.1.4.1.4203.666.5.16", true, new ASN1OctetString(value));
  }

  @Test
  void shouldFollowNoAliasToAnEntryThatTheClientMayNotKnow() throws Exception {
    addHidden();
    try (LDAPConnection ann = LocalServer.connect(server)) {
      ann.bind(ANN, "secret");
      for (String name : List.of("t", "x", "hop", "hops", "refer", "below", "top")) {
        String alias = "cn=" + name + "," + OWN;
        assertThat(code(ann, alias)).as(name).isEqualTo(ResultCode.ALIAS_PROBLEM);
      }
      assertThat(code(ann, "cn=open," + OWN)).isEqualTo(ResultCode.SUCCESS);
      assertThat(code(ann, "cn=blind," + OWN)).isEqualTo(ResultCode.ALIAS_DEREFERENCING_PROBLEM);
      SearchRequest search =
          new SearchRequest(
              OWN, SearchScope.SUB, DereferencePolicy.ALWAYS, 0, 0, false, Filter.create("(cn=*)"));
      assertThat(ann.search(search).getSearchEntries())
          .extracting(entry -> entry.getDN())
          .containsExactly("uid=pointer," + OWN);
    }
    assertThat(code(root, "cn=t," + OWN)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(root, "cn=hops," + OWN)).isEqualTo(ResultCode.SUCCESS);
  }

  private static ResultCode code(LDAPConnection client, String base) throws LDAPException {
    SearchRequest search =
        new SearchRequest(
            base,
            SearchScope.BASE,
            DereferencePolicy.ALWAYS,
            0,
            0,
            false,
            Filter.create("(objectClass=*)"));
    try {
      return client.search(search).getResultCode();
    } catch (LDAPSearchException e) {
      return e.getResultCode();
    }
  }

  /** The state of a walk between pages is as long, too. */
  @Test
  void shouldKeepNothingOfHiddenNamesBetweenPages() throws Exception {
    addHidden();
    List<Integer> hidden = cookies();
    deleteHidden();
    assertThat(hidden).hasSizeGreaterThan(2).isEqualTo(cookies());
  }

  private List<Integer> cookies() throws LDAPException {
    try (LDAPConnection ann = LocalServer.connect(server)) {
      ann.bind(ANN, "secret");
      SearchRequest search =
          new SearchRequest(
              TOP,
              SearchScope.SUB,
              DereferencePolicy.SEARCHING,
              0,
              0,
              false,
              Filter.create("(objectClass=*)"),
              "cn");
      List<Integer> lengths = new ArrayList<>();
      ASN1OctetString cookie = null;
      do {
        search.setControls(new SimplePagedResultsControl(1, cookie));
        SearchResult page = ann.search(search);
        cookie = SimplePagedResultsControl.get(page).getCookie();
        lengths.add(cookie == null ? 0 : cookie.getValueLength());
      } while (cookie != null && cookie.getValueLength() > 0);
      return lengths;
    }
  }
}
