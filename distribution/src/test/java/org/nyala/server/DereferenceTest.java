package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.asn1.ASN1Set;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Compares what searches tell of the entries that values name with searches at these entries. */
@Timeout(300)
class DereferenceTest {
  private static final String OID = "1.3.6.1.4.1.4203.666.5.16";
  private static final String TOP = "dc=example,dc=com";
  private static final String GROUP = "cn=group," + TOP;
  private static final String BIG = "cn=big," + TOP;
  private static final String[] WANTED = {
    "uid", "cn", "sn", "mail", "title", "userPassword", "description", "memberOf", "entryDN", "ou"
  };
  private static final List<String> MEMBERS =
      List.of(
          "uid=ann," + TOP,
          "uid=bob," + TOP,
          "uid=guest,ou=guests," + TOP,
          "uid=deep,ou=closed," + TOP,
          "uid=blind,ou=unsearched," + TOP,
          "uid=none," + TOP);
  private static final String RULES =
      """
      to attributes userPassword
        self may read
        anonymous may authenticate
      to subtree "ou=closed,dc=example,dc=com"
        entry "uid=bob,dc=example,dc=com" may read
      to subtree "ou=unsearched,dc=example,dc=com" attributes entry
        users may nothing
      to attributes member value subtree "ou=guests,dc=example,dc=com"
        entry "uid=bob,dc=example,dc=com" may read
      to attributes title
        self may read
      to attributes cn value "Secret"
        self may read
      to entry "cn=hidden,dc=example,dc=com" attributes member
        entry "uid=ann,dc=example,dc=com" may read
      to all
        users may read
      """;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;

  private void start(String configuration) throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file = ServerProcess.configure(folder, configuration + "\nmemberOf.enabled = true");
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    for (String ou : List.of("guests", "closed", "unsearched")) {
      root.add("dn: ou=" + ou + "," + TOP, "objectClass: organizationalUnit", "ou: " + ou);
    }
    for (String member : MEMBERS.subList(0, 5)) {
      person(member);
    }
    for (String group : List.of(GROUP, "cn=hidden," + TOP)) {
      root.add(
          group,
          new Attribute("objectClass", "groupOfNames"),
          new Attribute("cn", group.substring(3, group.indexOf(','))),
          new Attribute("member", MEMBERS));
    }
  }

  private void person(String name) throws LDAPException {
    String uid = name.substring(4, name.indexOf(','));
    root.add(
        name,
        new Attribute("objectClass", "inetOrgPerson"),
        new Attribute("uid", uid),
        new Attribute("cn", uid, "Secret"),
        new Attribute("sn", "s"),
        new Attribute("title", "t"),
        new Attribute("userPassword", "secret"));
  }

  @AfterEach
  void stop() {
    root.close();
    server.close();
  }

  private static Control deref(boolean isCritical, String attribute, String... wanted) {
    ASN1Element[] names =
        Arrays.stream(wanted).map(ASN1OctetString::new).toArray(ASN1Element[]::new);
    ASN1Sequence value =
        new ASN1Sequence(new ASN1Sequence(new ASN1OctetString(attribute), new ASN1Sequence(names)));
    return new Control(OID, isCritical, new ASN1OctetString(value.encode()));
  }

  private static Map<String, Set<String>> values(Entry entry) {
    Map<String, Set<String>> values = new TreeMap<>();
    for (Attribute each : entry == null ? List.<Attribute>of() : entry.getAttributes()) {
      values.put(each.getName(), new TreeSet<>(Arrays.asList(each.getValues())));
    }
    return values;
  }

  /** Decodes the control of an entry: the attributes of each name. */
  private static Map<String, Map<String, Set<String>>> told(SearchResultEntry entry)
      throws Exception {
    Map<String, Map<String, Set<String>>> told = new LinkedHashMap<>();
    Control control = entry.getControl(OID);
    if (control != null) {
      for (ASN1Element each :
          ASN1Sequence.decodeAsSequence(control.getValue().getValue()).elements()) {
        ASN1Element[] parts = each.decodeAsSequence().elements();
        Map<String, Set<String>> attributes = new TreeMap<>();
        if (parts.length > 2) {
          for (ASN1Element attribute : parts[2].decodeAsSequence().elements()) {
            ASN1Element[] pair = attribute.decodeAsSequence().elements();
            Set<String> values = new TreeSet<>();
            for (ASN1Element value : ASN1Set.decodeAsSet(pair[1]).elements()) {
              values.add(value.decodeAsOctetString().stringValue());
            }
            attributes.put(pair[0].decodeAsOctetString().stringValue(), values);
          }
        }
        told.put(parts[1].decodeAsOctetString().stringValue(), attributes);
      }
    }
    return told;
  }

  private static SearchResultEntry base(LDAPConnection by, String name, Control... controls)
      throws LDAPException {
    SearchRequest search =
        new SearchRequest(name, SearchScope.BASE, Filter.createANDFilter(), WANTED);
    search.setControls(controls);
    try {
      List<SearchResultEntry> found = by.search(search).getSearchEntries();
      return found.isEmpty() ? null : found.getFirst();
    } catch (LDAPSearchException e) {
      assertThat(e.getResultCode())
          .isIn(ResultCode.NO_SUCH_OBJECT, ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
      return null;
    }
  }

  /** Returns what a client is told, after the comparison with searches at each name. */
  private static Map<String, Map<String, Set<String>>> compared(LDAPConnection by, String group)
      throws Exception {
    SearchRequest readable =
        new SearchRequest(group, SearchScope.BASE, Filter.createANDFilter(), "member");
    SearchResultEntry plain = by.search(readable).getSearchEntries().getFirst();
    Map<String, Map<String, Set<String>>> expected = new TreeMap<>();
    String[] members = plain.getAttributeValues("member");
    for (String member : members == null ? new String[0] : members) {
      expected.put(member, values(base(by, member)));
    }
    Map<String, Map<String, Set<String>>> told =
        told(base(by, group, deref(true, "member", WANTED)));
    assertThat(new TreeMap<>(told)).isEqualTo(expected);
    return told;
  }

  @Test
  void shouldTellEachClientWhatItWouldFind() throws Exception {
    start("access.rules = access.rules");
    Map<String, Map<String, Set<String>>> all = compared(root, GROUP);
    assertThat(all).hasSize(6);
    assertThat(all.get(MEMBERS.get(3))).containsKeys("title", "memberOf", "entryDN");
    try (LDAPConnection ann = LocalServer.connect(server)) {
      ann.bind(MEMBERS.get(0), "secret");
      Map<String, Map<String, Set<String>>> told = compared(ann, GROUP);
      // She may not read the guest among the members, and sees nothing of three others.
      assertThat(told.keySet()).doesNotContain(MEMBERS.get(2)).hasSize(5);
      assertThat(told.get(MEMBERS.get(0))).containsKeys("title").containsKey("memberOf");
      assertThat(told.get(MEMBERS.get(0)).get("cn")).containsExactly("Secret", "ann");
      assertThat(told.get(MEMBERS.get(1)).get("cn")).containsExactly("bob");
      assertThat(told.get(MEMBERS.get(1))).doesNotContainKeys("title", "userPassword");
      assertThat(told.get(MEMBERS.get(3))).isEmpty();
      assertThat(told.get(MEMBERS.get(4))).isEmpty();
      assertThat(told.get(MEMBERS.get(5))).isEmpty();
      assertThat(compared(ann, "cn=hidden," + TOP)).isNotEmpty();
      // Names in computed values are dereferenced, too.
      assertThat(told(base(ann, MEMBERS.get(0), deref(true, "memberOf", "cn"))))
          .containsEntry(GROUP, Map.of("cn", Set.of("group")));
    }
    try (LDAPConnection bob = LocalServer.connect(server)) {
      bob.bind(MEMBERS.get(1), "secret");
      Map<String, Map<String, Set<String>>> told = compared(bob, GROUP);
      assertThat(told).hasSize(6);
      assertThat(told.get(MEMBERS.get(3))).isNotEmpty();
      assertThat(compared(bob, "cn=hidden," + TOP)).containsOnlyKeys(MEMBERS.get(2));
    }
  }

  @Test
  void shouldKeepPasswordsFromAllWithoutRules() throws Exception {
    start("access.anonymousRead = true");
    try (LDAPConnection anyone = LocalServer.connect(server)) {
      Map<String, Map<String, Set<String>>> told = compared(anyone, GROUP);
      assertThat(told).hasSize(6);
      assertThat(told.get(MEMBERS.get(0)))
          .containsKeys("title", "cn")
          .doesNotContainKey("userPassword");
    }
  }

  @Test
  void shouldTellRootAccountsNothingOfOthersSuffixes() throws Exception {
    start(
        """
        suffixes = ["dc=example,dc=com", "o=b"]
        rootAccounts = [ { dn = "cn=root", password = secret, suffixes = ["dc=example,dc=com"] } ]
        """);
    root.add("dn: o=b", "objectClass: organization", "o: b");
    root.modify(GROUP, new Modification(ModificationType.ADD, "member", "o=b"));
    try (LDAPConnection account = LocalServer.connect(server)) {
      account.bind("cn=root", "secret");
      Map<String, Map<String, Set<String>>> told =
          told(base(account, GROUP, deref(true, "member", "objectClass")));
      assertThat(told.get("o=b")).isEmpty();
      assertThat(told.get(MEMBERS.get(3))).isNotEmpty();
    }
  }

  @Test
  void shouldDereferenceManyMembersPageByPage() throws Exception {
    start("access.rules = access.rules, limits.dereferencedValues = 6000");
    List<String> members = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      members.add(i % 50 == 0 ? "uid=m" + i + "," + TOP : "uid=nobody" + i + "," + TOP);
      if (i % 50 == 0) {
        person(members.getLast());
      }
    }
    for (String name : List.of(BIG, "cn=big2," + TOP)) {
      root.add(
          name,
          new Attribute("objectClass", "groupOfNames"),
          new Attribute("cn", name.substring(3, name.indexOf(','))),
          new Attribute("member", members));
    }
    try (LDAPConnection bob = LocalServer.connect(server)) {
      bob.bind(MEMBERS.get(1), "secret");
      SearchRequest search =
          new SearchRequest(TOP, SearchScope.SUB, Filter.create("(|(cn=big)(cn=big2))"), "member");
      ASN1OctetString cookie = null;
      int pages = 0;
      do {
        search.setControls(
            new SimplePagedResultsControl(1, cookie, true), deref(true, "member", "uid"));
        SearchResult page = bob.search(search);
        SearchResultEntry entry = page.getSearchEntries().getFirst();
        Map<String, Map<String, Set<String>>> told = told(entry);
        assertThat(told.keySet()).containsExactlyInAnyOrder(entry.getAttributeValues("member"));
        assertThat(told.values().stream().filter(each -> !each.isEmpty())).hasSize(100);
        cookie = SimplePagedResultsControl.get(page).getCookie();
        pages++;
      } while (cookie.getValueLength() > 0);
      assertThat(pages).isEqualTo(2);
      assertThat(code(bob, deref(true, "member", "uid")))
          .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    }
    assertThat(code(root, deref(true, "member", "uid"))).isEqualTo(ResultCode.SUCCESS);
    Control sync = new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_ONLY);
    assertThat(code(root, sync, deref(true, "member", "uid")))
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(code(root, sync, deref(false, "member", "uid"))).isEqualTo(ResultCode.SUCCESS);
  }

  private static ResultCode code(LDAPConnection by, Control... controls) throws LDAPException {
    SearchRequest search =
        new SearchRequest(TOP, SearchScope.SUB, Filter.create("(|(cn=big)(cn=big2))"), "1.1");
    search.setControls(controls);
    try {
      return by.search(search).getResultCode();
    } catch (LDAPSearchException e) {
      return e.getResultCode();
    }
  }
}
