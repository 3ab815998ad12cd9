package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.error.ConfigurationException;
import org.nyala.process.ServedDirectory;

/** Tests rules across entries, as configured, over the wire and on a real store. */
class IntegrityTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int MEMBERS = 1500;
  private static final int AT_ONCE = 50;
  private static final String OPTIONS =
      """
      nyala {
        uniqueness = [{ attributes = [employeeNumber] }]
        referentialIntegrity { attributes = [member, uniqueMember], followMissing = true }
        memberOf { enabled = true }
      }
      """;

  @TempDir Path folder;

  private ServedDirectory serve(String name, String options) throws Exception {
    Path place = Files.createDirectory(folder.resolve(name));
    ServedDirectory.start(place, "clients.ldif").close();
    Path file = place.resolve("test.conf");
    Files.writeString(file, Files.readString(file) + options);
    return ServedDirectory.restart(place);
  }

  private static LDAPConnection connect(ServedDirectory served) throws LDAPException {
    return new LDAPConnection("127.0.0.1", served.port(), "cn=admin,dc=example,dc=com", "admin");
  }

  private static String person(int number) {
    return "uid=p" + number + ",ou=crew," + TOP;
  }

  private static void addPeople(LDAPConnection connection) throws Exception {
    connection.add("dn: ou=crew," + TOP, "objectClass: organizationalUnit", "ou: crew");
    // Additions that are under way together share commits.
    for (int begin = 0; begin < MEMBERS; begin += AT_ONCE) {
      List<AsyncRequestID> added = new ArrayList<>();
      for (int i = begin; i < begin + AT_ONCE; i++) {
        AddRequest request =
            new AddRequest(
                "dn: " + person(i),
                "objectClass: inetOrgPerson",
                "uid: p" + i,
                "cn: p",
                "sn: p",
                "employeeNumber: 9" + i);
        added.add(connection.asyncAdd(request, null));
      }
      for (AsyncRequestID each : added) {
        assertThat(Patience.get(each).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      }
    }
  }

  private static int count(LDAPConnection connection, String filter) throws LDAPException {
    return connection.search(TOP, SearchScope.SUB, filter, "1.1").getEntryCount();
  }

  @Test
  void shouldKeepReferencesAndComputeMembership() throws Exception {
    try (ServedDirectory served = serve("all", OPTIONS);
        LDAPConnection connection = connect(served)) {
      addPeople(connection);
      List<String> members = new ArrayList<>();
      for (int i = 0; i < MEMBERS; i++) {
        members.add(person(i));
      }
      String all = "cn=all," + TOP;
      connection.add(
          new Entry(
              all,
              new Attribute("objectClass", "groupOfNames"),
              new Attribute("cn", "all"),
              new Attribute("member", members)));
      String few = "cn=few," + TOP;
      connection.add(
          "dn: " + few,
          "objectClass: groupOfUniqueNames",
          "cn: few",
          "uniqueMember: " + person(1) + "#'01'B",
          "uniqueMember: " + person(2));
      assertThat(count(connection, "(memberOf=" + all + ")")).isEqualTo(MEMBERS);
      assertThat(count(connection, "(&(uid=p7)(memberOf=" + all + "))")).isEqualTo(1);
      assertThat(count(connection, "(&(memberOf=" + all + ")(memberOf=" + few + "))")).isEqualTo(1);
      assertThat(count(connection, "(&(uid=p*)(!(memberOf=" + few + ")))")).isEqualTo(MEMBERS - 1);
      // The group of the imported data has two members.
      assertThat(count(connection, "(memberOf=*)")).isEqualTo(MEMBERS + 2);
      assertThat(count(connection, "(member:1.2.840.113556.1.4.1941:=" + person(3) + ")"))
          .isEqualTo(1);
      Modification gone =
          new Modification(ModificationType.ADD, "member", "uid=gone,ou=crew," + TOP);
      connection.modify(all, gone);
      connection.modifyDN("ou=crew," + TOP, "ou=team", true);
      // There is no such entry.
      connection.modify(
          all, new Modification(ModificationType.DELETE, "member", "uid=gone,ou=team," + TOP));
      assertThat(connection.getEntry(few).getAttributeValues("uniqueMember"))
          .containsExactlyInAnyOrder("uid=p1,ou=team," + TOP + "#'01'B", "uid=p2,ou=team," + TOP);
      connection.modifyDN("uid=p4,ou=team," + TOP, "uid=P4", true);
      assertThat(connection.getEntry(all).getAttributeValues("member"))
          .contains("uid=P4,ou=team," + TOP)
          .doesNotContain("uid=p4,ou=team," + TOP)
          .hasSize(MEMBERS);
      assertThat(count(connection, "(member=uid=p4,ou=team," + TOP + ")")).isEqualTo(1);
      connection.delete("uid=p2,ou=team," + TOP);
      connection.delete("uid=p3,ou=team," + TOP);
      assertThat(connection.getEntry(all).getAttributeValues("member")).hasSize(MEMBERS - 2);
      assertThat(connection.getEntry("uid=p1,ou=team," + TOP, "memberOf"))
          .extracting(entry -> entry.getAttributeValue("memberOf"))
          .isEqualTo(all);
      assertThatThrownBy(
              () ->
                  connection.modify(
                      "uid=p1,ou=team," + TOP,
                      new Modification(ModificationType.REPLACE, "employeeNumber", "95")))
          .isInstanceOfSatisfying(
              LDAPException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.CONSTRAINT_VIOLATION));
    }
  }

  @Test
  void shouldLetApplicationsDeleteTheLastMember() throws Exception {
    try (ServedDirectory served = serve("last", OPTIONS);
        LDAPConnection connection = connect(served)) {
      String ann = "uid=ann," + TOP;
      connection.add("dn: " + ann, "objectClass: inetOrgPerson", "uid: ann", "cn: Ann", "sn: Ann");
      for (String member : List.of("member", "uniqueMember")) {
        String name = member.equals("member") ? "groupOfNames" : "groupOfUniqueNames";
        connection.add(
            "dn: cn=" + name + "," + TOP,
            "objectClass: " + name,
            "cn: " + name,
            member + ": " + ann);
      }
      connection.delete(ann);
      assertThat(count(connection, "(|(member=" + ann + ")(uniqueMember=" + ann + "))")).isZero();
      String nobody = "cn=empty-membership-placeholder";
      assertThat(count(connection, "(member=" + nobody + ")")).isEqualTo(1);
      assertThat(count(connection, "(uniqueMember=" + nobody + ")")).isEqualTo(1);
    }
  }

  @Test
  void shouldNotStartWithoutAnIndexToLookInto() {
    assertThatThrownBy(() -> serve("one", "nyala.uniqueness = [{ attributes = [description] }]"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("description")
        .hasMessageContaining("index");
    assertThatThrownBy(() -> serve("two", "nyala.referentialIntegrity.attributes = [cn]"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("cn");
  }
}
