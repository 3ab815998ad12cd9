package org.nyala.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyDNRequest;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.RDN;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.PermissiveModifyRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadResponseControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadResponseControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV1RequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.SubtreeDeleteRequestControl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServedDirectory;

/** Tests every kind of change by UnboundID's client, with the controls for changes. */
class UnboundIdUpdatesTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ADA = "uid=ada,ou=People," + SUFFIX;
  private static final String UNIT = "ou=unboundid," + SUFFIX;
  private static final String REFERRAL = "cn=elsewhere,ou=Places," + SUFFIX;
  private static final String NO_OP_OID = "1.3.6.1.4.1.4203.666.5.2";
  private static final int MEMBERS = 20_000;

  @TempDir static Path folder;

  private static ServedDirectory served;

  private LDAPConnection connection;

  @BeforeAll
  static void serve() throws Exception {
    served = ServedDirectory.start(folder, "clients.ldif");
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  @BeforeEach
  void connect() throws Exception {
    connection =
        new LDAPConnection("127.0.0.1", served.port(), "cn=admin,dc=example,dc=com", "admin");
    connection.add("dn: " + UNIT, "objectClass: organizationalUnit");
  }

  @AfterEach
  void disconnect() throws LDAPException {
    DeleteRequest request = new DeleteRequest(UNIT);
    request.addControl(new SubtreeDeleteRequestControl(true));
    connection.delete(request);
    assertThat(connection.getEntry(UNIT)).isNull();
    connection.close();
  }

  private static String name(String uid) {
    return new DN(new RDN("uid", uid), new RDN("ou", "unboundid")) + "," + SUFFIX;
  }

  private String add(String uid, Attribute... more) throws LDAPException {
    AddRequest request =
        new AddRequest(
            name(uid),
            new Attribute("objectClass", "inetOrgPerson", "posixAccount"),
            new Attribute("cn", "Person " + uid),
            new Attribute("sn", uid),
            new Attribute("uidNumber", "5000"),
            new Attribute("gidNumber", "100"),
            new Attribute("homeDirectory", "/home"));
    for (Attribute each : more) {
      request.addAttribute(each);
    }
    connection.add(request);
    return name(uid);
  }

  private List<String> values(String dn, String attribute) throws LDAPException {
    String[] values = connection.getEntry(dn, attribute).getAttributeValues(attribute);
    return values == null ? List.of() : List.of(values);
  }

  private List<String> search(Filter filter) throws LDAPException {
    return connection.search(UNIT, SearchScope.SUB, filter, "1.1").getSearchEntries().stream()
        .map(SearchResultEntry::getDN)
        .toList();
  }

  private static Modification change(ModificationType kind, String attribute, String... values) {
    return new Modification(kind, attribute, values);
  }

  private interface Call {
    void run() throws LDAPException;
  }

  private static LDAPException assertRefused(ResultCode code, Call call) {
    LDAPException[] caught = new LDAPException[1];
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> {
              assertThat(e.getResultCode()).as(e.getMessage()).isEqualTo(code);
              caught[0] = e;
            });
    return caught[0];
  }

  @Test
  void shouldModifyInEveryWayOrNotAtAll() throws LDAPException {
    String max = add("max", new Attribute("telephoneNumber", "+44 20 1", "+44 20 2"));
    connection.modify(
        max,
        List.of(
            change(ModificationType.ADD, "description", "one", "two"),
            change(ModificationType.DELETE, "telephoneNumber", "+44-201"),
            change(ModificationType.REPLACE, "cn", "Max", "Mäx"),
            change(ModificationType.INCREMENT, "uidNumber", "-5001")));
    assertThat(values(max, "description")).containsExactly("one", "two");
    assertThat(values(max, "telephoneNumber")).containsExactly("+44 20 2");
    assertThat(values(max, "cn")).containsExactly("Max", "Mäx");
    assertThat(values(max, "uidNumber")).containsExactly("-1");
    Modification good = change(ModificationType.ADD, "title", "King");
    Modification twice = change(ModificationType.ADD, "description", "ONE");
    assertRefused(
        ResultCode.ATTRIBUTE_OR_VALUE_EXISTS, () -> connection.modify(max, List.of(good, twice)));
    Modification needed = change(ModificationType.DELETE, "sn");
    assertRefused(
        ResultCode.OBJECT_CLASS_VIOLATION, () -> connection.modify(max, List.of(good, needed)));
    Modification naming = change(ModificationType.DELETE, "uid", "max");
    assertRefused(ResultCode.NOT_ALLOWED_ON_RDN, () -> connection.modify(max, naming));
    assertThat(values(max, "title")).isEmpty();
    connection.modify(
        max,
        change(ModificationType.DELETE, "description"),
        change(ModificationType.REPLACE, "telephoneNumber"));
    assertThat(values(max, "description")).isEmpty();
    assertThat(values(max, "telephoneNumber")).isEmpty();
  }

  @Test
  void shouldRenameAndMove() throws LDAPException {
    String uuid = values(add("ren"), "entryUUID").getFirst();
    connection.modifyDN(name("ren"), "uid=kept", false);
    assertThat(values(name("kept"), "uid")).containsExactlyInAnyOrder("ren", "kept");
    String below = "ou=Größe," + UNIT;
    connection.add(below, new Attribute("objectClass", "organizationalUnit"));
    ModifyDNRequest move = new ModifyDNRequest(name("kept"), "uid=ren", true, below);
    move.addControl(new PreReadRequestControl(true, "uid"));
    move.addControl(new PostReadRequestControl(true, "uid", "entryDN"));
    LDAPResult moved = connection.modifyDN(move);
    assertThat(PreReadResponseControl.get(moved).getEntry().getDN()).isEqualTo(name("kept"));
    SearchResultEntry after =
        new SearchResultEntry(PostReadResponseControl.get(moved).getEntry(), new Control[0]);
    assertThat(after.getAttributeValues("uid")).containsExactly("ren");
    assertThat(after.getAttributeValue("entryDN")).isEqualTo("uid=ren," + below);
    connection.modifyDN(below, "ou=Mass", true);
    assertThat(search(Filter.createEqualityFilter("entryUUID", uuid)))
        .containsExactly("uid=ren,ou=Mass," + UNIT);
    assertRefused(
        ResultCode.UNWILLING_TO_PERFORM,
        () -> connection.modifyDN(UNIT, "ou=unboundid", true, "ou=Mass," + UNIT));
  }

  @Test
  void shouldKeepTextAndOctets() throws LDAPException {
    String uid = " Jürgen, \"№ 7\" + <東京> 😀\\;#= ";
    byte[] octets = new byte[300_000];
    for (int i = 0; i < octets.length; i++) {
      octets[i] = (byte) (i * 31);
    }
    String name = add(uid, new Attribute("jpegPhoto", octets), new Attribute("gecos", ""));
    SearchResultEntry entry = connection.getEntry(name);
    assertThat(new DN(entry.getDN())).isEqualTo(new DN(name));
    assertThat(entry.getAttributeValue("uid")).isEqualTo(uid);
    assertThat(entry.getAttributeValueBytes("jpegPhoto")).isEqualTo(octets);
    assertThat(entry.getAttributeValues("gecos")).containsExactly("");
    assertThat(connection.compare(new CompareRequest(name, "gecos", "")).compareMatched()).isTrue();
    assertThat(search(Filter.createEqualityFilter("gecos", ""))).hasSize(1);
    assertThat(search(Filter.createSubAnyFilter("cn", "東", "😀"))).hasSize(1);
    Modification empty = change(ModificationType.ADD, "description", "");
    assertRefused(
        ResultCode.INVALID_ATTRIBUTE_SYNTAX, () -> connection.modify(entry.getDN(), empty));
    Modification malformed =
        new Modification(
            ModificationType.ADD, "description", new byte[] {(byte) 0xc3, (byte) 0x28});
    assertRefused(
        ResultCode.INVALID_ATTRIBUTE_SYNTAX, () -> connection.modify(entry.getDN(), malformed));
  }

  @Test
  void shouldDoEverythingButTheChange() throws LDAPException {
    String non = add("non");
    Control noOp = new Control(NO_OP_OID, true);
    ModifyRequest modify =
        new ModifyRequest(non, change(ModificationType.REPLACE, "cn", "Changed"));
    modify.addControl(noOp);
    assertThat(connection.modify(modify).getResultCode()).isEqualTo(ResultCode.NO_OPERATION);
    DeleteRequest delete = new DeleteRequest(non);
    delete.addControl(noOp);
    assertThat(connection.delete(delete).getResultCode()).isEqualTo(ResultCode.NO_OPERATION);
    DeleteRequest impossible = new DeleteRequest(UNIT);
    impossible.addControl(noOp);
    assertRefused(ResultCode.NOT_ALLOWED_ON_NONLEAF, () -> connection.delete(impossible));
    assertThat(values(non, "cn")).containsExactly("Person non");
  }

  @Test
  void shouldPermitWhatIsSoAlready() throws LDAPException {
    String per = add("per", new Attribute("description", "one"));
    ModifyRequest modify =
        new ModifyRequest(
            per,
            change(ModificationType.ADD, "description", "ONE", "two"),
            change(ModificationType.DELETE, "cn", "nobody"),
            change(ModificationType.DELETE, "title"));
    assertRefused(ResultCode.ATTRIBUTE_OR_VALUE_EXISTS, () -> connection.modify(modify));
    modify.addControl(new PermissiveModifyRequestControl(true));
    connection.modify(modify);
    assertThat(values(per, "description")).containsExactly("one", "two");
  }

  @Test
  void shouldChangeOnBehalfOfOthers() throws LDAPException {
    String pro = add("pro");
    DeleteRequest delete = new DeleteRequest(pro);
    delete.addControl(new ProxiedAuthorizationV2RequestControl("dn:" + ADA));
    assertRefused(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, () -> connection.delete(delete));
    delete.setControls(new ProxiedAuthorizationV1RequestControl(ADA));
    assertRefused(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION, () -> connection.delete(delete));
    try (LDAPConnection ada = new LDAPConnection("127.0.0.1", served.port(), ADA, "enchantress")) {
      delete.setControls(new ProxiedAuthorizationV2RequestControl("dn:cn=admin,dc=example,dc=com"));
      assertRefused(ResultCode.AUTHORIZATION_DENIED, () -> ada.delete(delete));
    }
    assertThat(connection.getEntry(pro)).isNotNull();
  }

  @Test
  void shouldReferChangesElsewhere() throws LDAPException {
    Attribute device = new Attribute("objectClass", "device");
    LDAPException referred =
        assertRefused(ResultCode.REFERRAL, () -> connection.add("cn=x," + REFERRAL, device));
    assertThat(referred.getReferralURLs())
        .containsExactly("ldap://ldap.example.net/cn=x,ou=Elsewhere,dc=example,dc=net");
    Modification title = change(ModificationType.REPLACE, "title", "There");
    assertRefused(ResultCode.REFERRAL, () -> connection.modify(REFERRAL, title));
    assertRefused(ResultCode.REFERRAL, () -> connection.delete(REFERRAL));
    assertRefused(ResultCode.REFERRAL, () -> connection.modifyDN(REFERRAL, "cn=other", true));
    ModifyRequest managed = new ModifyRequest(REFERRAL, title);
    managed.addControl(new ManageDsaITRequestControl(true));
    connection.modify(managed);
  }

  @Test
  void shouldKeepALargeGroup() throws LDAPException {
    List<String> members = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      members.add("uid=member" + i + ",ou=Crew," + SUFFIX);
    }
    String group = "cn=crowd," + UNIT;
    connection.add(
        group,
        new Attribute("objectClass", "groupOfNames"),
        new Attribute("member", members.subList(0, MEMBERS / 2)));
    String[] others = members.subList(MEMBERS / 2, MEMBERS).toArray(String[]::new);
    connection.modify(group, change(ModificationType.ADD, "member", others));
    assertThat(values(group, "member")).hasSize(MEMBERS);
    assertThat(Set.copyOf(values(group, "member"))).isEqualTo(Set.copyOf(members));
    String last = members.getLast();
    assertThat(search(Filter.createEqualityFilter("member", last))).containsExactly(group);
    Modification again = change(ModificationType.ADD, "member", last.toUpperCase(Locale.ROOT));
    assertRefused(ResultCode.ATTRIBUTE_OR_VALUE_EXISTS, () -> connection.modify(group, again));
    connection.modify(
        group,
        change(ModificationType.DELETE, "member", last),
        change(ModificationType.ADD, "member", ADA));
    assertThat(search(Filter.createEqualityFilter("member", last))).isEmpty();
    assertThat(search(Filter.createEqualityFilter("member", ADA))).containsExactly(group);
    connection.modify(group, change(ModificationType.DELETE, "member", others[0], others[1]));
    assertThat(values(group, "member")).hasSize(MEMBERS - 2);
    connection.modify(group, change(ModificationType.REPLACE, "member", ADA));
    assertThat(values(group, "member")).containsExactly(ADA);
  }

  @Test
  void shouldStoreAddedPasswordsAndShowThemToRootHereOnly() throws LDAPException {
    String pass = add("pass", new Attribute("userPassword", "geheim ü".getBytes(UTF_8)));
    assertThat(connection.getEntry(pass, "*", "+").hasAttribute("userPassword")).isTrue();
    try (LDAPConnection own = new LDAPConnection("127.0.0.1", served.port(), pass, "geheim ü")) {
      assertThat(own.getEntry(pass, "*", "+").hasAttribute("userPassword")).isFalse();
    }
  }
}
