package org.nyala.core.operation;

import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;

import java.util.List;
import org.nyala.core.control.ControlType;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.RequestControl;

/** The entries for tests of search controls, and parts of such controls. */
public final class ControlledEntries {
  public static final String TOP = "dc=example,dc=com";
  public static final String ANN = "uid=ann,dc=example,dc=com";
  static final String POLICY = "cn=policy,dc=example,dc=com";
  public static final String GROUP = "cn=group,dc=example,dc=com";
  static final String AWAY = "ou=away,dc=example,dc=com";

  private ControlledEntries() {}

  public static List<Entry> entries() {
    return List.of(
        entry(TOP, "objectClass", "domain", "dc", "example"),
        entry(
            ANN,
            "objectClass",
            "top",
            "objectClass",
            "person",
            "objectClass",
            "inetOrgPerson",
            "uid",
            "ann",
            "cn",
            "Ann A",
            "cn",
            "Nan",
            "sn",
            "A",
            "mail",
            "ann@example.com",
            "mail",
            "ann@home.example",
            "telephoneNumber",
            "+1 2",
            "employeeNumber",
            "7",
            "userPassword",
            "secret"),
        entry(POLICY, "objectClass", "subentry", "cn", "policy", "subtreeSpecification", "{}"),
        entry(
            GROUP,
            "objectClass",
            "groupOfNames",
            "cn",
            "group",
            "member",
            ANN,
            "member",
            "uid=bob,dc=example,dc=com"),
        entry(AWAY, "objectClass", "referral", "ou", "away", "ref", "ldap://away.example/"));
  }

  public static RequestControl control(ControlType type, byte[] value) {
    return new RequestControl(type.oid(), true, value);
  }

  public static FilterNode equal(String attribute, String value) {
    return new FilterNode.Equality(attribute, bytes(value));
  }
}
