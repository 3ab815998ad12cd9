package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The log of modifications as clients see it: its readers, its records, its bounds. */
class LogProviderTest extends SyncTestCase {
  private static final String ON = ", modificationLog.mebibytes = 16";
  private static final int REFRESH_REQUIRED = 4096;

  private String cookie() throws LDAPException {
    return "rid=001,csn=" + root.getEntry(TOP, "contextCSN").getAttributeValue("contextCSN");
  }

  private SearchResult poll(String cookie) throws LDAPException {
    return root.search(LogFollower.request(LogFollower.BASE, cookie));
  }

  private static int code(LDAPConnection connection, SearchRequest request) {
    try {
      return connection.search(request).getResultCode().intValue();
    } catch (LDAPException e) {
      return e.getResultCode().intValue();
    }
  }

  private static SearchRequest plain(String base) throws LDAPException {
    return new SearchRequest(base, SearchScope.SUB, "(objectClass=*)");
  }

  @Test
  void shouldBeKnownToItsReadersAlone() throws Exception {
    addPerson("replica", TOP);
    String replica = "uid=replica," + TOP;
    restart(ON + ", modificationLog.readers = [\"" + replica + "\"]");
    String cookie = cookie();
    LDAPConnection other = connect(READER, "secret");
    for (LDAPConnection stranger : List.of(other, connect("", ""))) {
      assertThat(code(stranger, LogFollower.request(LogFollower.BASE, cookie)))
          .isEqualTo(code(stranger, LogFollower.request("cn=nothing", cookie)));
      assertThat(code(stranger, plain(LogFollower.BASE)))
          .isEqualTo(code(stranger, plain("cn=nothing")));
    }
    for (LDAPConnection reader : List.of(root, connect(replica, "secret"))) {
      assertThat(code(reader, LogFollower.request(LogFollower.BASE, cookie))).isZero();
      assertThat(code(reader, plain(LogFollower.BASE))).isEqualTo(53);
      assertThat(code(reader, plain("cn=other," + LogFollower.BASE))).isEqualTo(32);
    }
  }

  @Test
  void shouldNotExistUnlessModificationsAreKept() throws Exception {
    assertThat(code(root, LogFollower.request(LogFollower.BASE, cookie())))
        .isEqualTo(code(root, LogFollower.request("cn=nothing", cookie())));
    assertThat(code(root, plain(LogFollower.BASE))).isEqualTo(32);
  }

  @Test
  void shouldSendThoseToTheDirectoryWhomItCannotServe() throws Exception {
    String before = cookie();
    modify(ANN, "title", "unseen");
    restart(ON);
    assertThat(poll(cookie()).getEntryCount()).isZero();
    for (String cookie : new String[] {null, "rid=001", before}) {
      assertThat(code(root, LogFollower.request(LogFollower.BASE, cookie)))
          .as(cookie)
          .isEqualTo(REFRESH_REQUIRED);
    }
    String newer = "rid=001,csn=20990101000000.000000Z#000000#005#000000";
    assertThat(code(root, LogFollower.request(LogFollower.BASE, newer))).isEqualTo(53);
  }

  @Test
  void shouldTellOfEveryKindOfChange() throws Exception {
    restart(ON);
    String before = cookie();
    addPerson("new", UNIT);
    root.modify(
        ANN,
        new Modification(ModificationType.ADD, "mail", "a@example.com", "b@example.com"),
        new Modification(ModificationType.REPLACE, "userPassword", "other"));
    modify(ANN, "mail");
    root.modifyDN(ANN, "uid=anna", false, TOP);
    root.delete("uid=new," + UNIT);
    SearchResult all = poll(before);
    List<SearchResultEntry> entries = all.getSearchEntries();
    assertThat(entries)
        .extracting(entry -> entry.getAttributeValue("reqType"))
        .containsExactly("add", "modify", "modify", "modrdn", "delete");
    assertThat(entries)
        .extracting(entry -> entry.getAttributeValue("reqDN"))
        .containsExactly("uid=new," + UNIT, ANN, ANN, ANN, "uid=new," + UNIT);
    assertThat(entries.get(0).getAttributeValues("reqMod"))
        .contains("uid:+ new", "objectClass:+ inetOrgPerson", "sn:+ P")
        .anyMatch(each -> each.startsWith("userPassword:+ {"))
        .anyMatch(each -> each.startsWith("entryUUID:+ "))
        .noneMatch(each -> each.startsWith("entryDN") || each.startsWith("hasSubordinates"));
    assertThat(entries.get(1).getAttributeValues("reqMod"))
        .contains("mail:= a@example.com", "mail:= b@example.com")
        .contains("entryCSN:= " + entries.get(1).getAttributeValue("entryCSN"))
        .anyMatch(each -> each.startsWith("userPassword:= {"))
        .anyMatch(each -> each.startsWith("modifyTimestamp:= "));
    assertThat(entries.get(2).getAttributeValues("reqMod")).contains("mail:=");
    SearchResultEntry rename = entries.get(3);
    assertThat(rename.getAttributeValue("reqNewRDN")).isEqualTo("uid=anna");
    assertThat(rename.getAttributeValue("reqDeleteOldRDN")).isEqualTo("FALSE");
    assertThat(rename.getAttributeValue("reqNewSuperior")).isEqualTo(TOP);
    assertThat(entries.get(4).hasAttribute("reqMod")).isFalse();
    assertThat(cookieOf(all)).isEqualTo(cookie());
    assertThat(poll(cookieOf(all)).getEntryCount()).isZero();
    String cookie = "rid=001,csn=" + entries.get(2).getAttributeValue("entryCSN");
    assertThat(poll(cookie).getEntryCount()).isEqualTo(2);
  }

  @Test
  void shouldHonourTheFilter() throws Exception {
    restart(ON);
    String before = cookie();
    modify(ANN, "title", "a");
    root.delete(ANN);
    for (String filter : List.of("(reqType=delete)", "(objectClass=auditDelete)")) {
      SearchRequest request = LogFollower.request(LogFollower.BASE, before);
      request.setFilter(filter);
      SearchResult result = root.search(request);
      assertThat(result.getSearchEntries())
          .extracting(entry -> entry.getAttributeValue("reqDN"))
          .as(filter)
          .containsExactly(ANN);
      assertThat(cookieOf(result)).isEqualTo(cookie());
    }
  }

  @Test
  void shouldTellOfReferencesThatTheServerRepairs() throws Exception {
    restart(ON + ", referentialIntegrity.attributes = [member]");
    root.add(
        "dn: " + STAFF, "objectClass: groupOfNames", "cn: staff", "member: " + ANN, "member: cn=x");
    String before = cookie();
    root.modifyDN(ANN, "uid=anna", true);
    List<SearchResultEntry> entries = poll(before).getSearchEntries();
    assertThat(entries)
        .extracting(entry -> entry.getAttributeValue("reqDN"))
        .containsExactly(ANN, STAFF);
    assertThat(entries.getFirst().getAttributeValue("reqDeleteOldRDN")).isEqualTo("TRUE");
    assertThat(entries.getLast().getAttributeValues("reqMod"))
        .contains("member:- " + ANN, "member:+ uid=anna," + UNIT)
        .noneMatch(each -> each.endsWith("cn=x"));
  }

  @Test
  void shouldHoldNothingForAFollowerThatFallsBehind() throws Exception {
    restart(ON + ", store.journalChanges = 64");
    Stalled stalled = new Stalled();
    LDAPConnection connection = connect("cn=admin", "admin");
    SearchRequest request =
        LogFollower.request(stalled, LogFollower.BASE, LogFollower.FILTER, cookie());
    AsyncRequestID id = connection.asyncSearch(request);
    String filling = "x".repeat(60_000);
    // More than the buffers of a connection hold, and the journal.
    for (int i = 0; i < 300; i++) {
      modify(ANN, "description", filling + i);
    }
    stalled.go.countDown();
    LDAPResult result = stalled.results.poll(60, TimeUnit.SECONDS);
    assertThat(id.isCancelled()).isFalse();
    assertThat(result.getResultCode().intValue()).isEqualTo(REFRESH_REQUIRED);
    LogFollower again = LogFollower.after(connection, LogFollower.BASE, cookie());
    modify(ANN, "description", "last");
    eventually(
        "it is told of the last change",
        () -> again.hasSeen("description:= last") || again.result != null);
    assertThat(again.result).isNull();
    assertThat(again.entries).hasSize(1);
  }

  @Test
  void shouldHaveALogForEachNamingContext() throws Exception {
    restart(ON + ", suffixes = [\"" + TOP + "\", \"dc=other,dc=com\"]");
    assertThat(code(root, LogFollower.request(LogFollower.BASE, cookie()))).isEqualTo(32);
    String base = "cn=dc\\3Dexample\\2Cdc\\3Dcom," + LogFollower.BASE;
    LogFollower follower = LogFollower.after(root, base, cookie());
    root.add("dn: dc=other,dc=com", "objectClass: domain", "dc: other");
    modify(ANN, "title", "mine");
    eventually("it is told of the change", () -> follower.hasSeen("title:= mine"));
    assertThat(follower.entries).hasSize(1);
  }

  /** The journal's floor is one for all naming contexts. */
  @Test
  void shouldGoOnInAContextBesideABusyOne() throws Exception {
    restart(ON + ", suffixes = [\"" + TOP + "\", \"dc=busy\"], store.journalChanges = 1");
    root.add("dn: dc=busy", "objectClass: domain", "dc: busy");
    modify(ANN, "title", "before");
    String base = "cn=dc\\3Dexample\\2Cdc\\3Dcom," + LogFollower.BASE;
    String before = cookie();
    for (int i = 0; i < 1000; i++) {
      modify("dc=busy", "description", "d" + i);
    }
    assertThat(root.search(LogFollower.request(base, before)).getEntryCount()).isZero();
    LogFollower follower = LogFollower.after(root, base, before);
    modify(ANN, "title", "after");
    eventually("it is told of the change", () -> follower.hasSeen("title:= after"));
    assertThat(follower.result).isNull();
  }
}
