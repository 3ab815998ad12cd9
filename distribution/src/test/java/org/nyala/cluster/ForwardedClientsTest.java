package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyDNRequest;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadResponseControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadResponseControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients whose changes a member passes on: rules, policies, controls and extensions give the same
 * result as at the leader, for the client that it is.
 */
@Timeout(300)
final class ForwardedClientsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String DESK = "ou=desk," + TOP;
  private static final String REFRESH = "1.3.6.1.4.1.1466.101.119.1";
  private static final String RULES =
      """
      to attributes userPassword
        self may read, write
        anonymous may authenticate
      to subtree "ou=desk,dc=example,dc=com" attributes employeeNumber
        entry "uid=ann,dc=example,dc=com" may write
        all may nothing
      to subtree "ou=desk,dc=example,dc=com"
        entry "uid=ann,dc=example,dc=com" may read, write
        entry "uid=reset0,dc=example,dc=com" may read, write
        entry "uid=reset1,dc=example,dc=com" may read, write
        users may read
      to all
        entry "uid=proxy,dc=example,dc=com" may read, proxy
        self may read
        users may search
      """;

  @TempDir static Path folder;

  private static LiveMembers cluster;
  private static LDAPConnection root;

  /** The members, the leader first. */
  private static List<LiveMembers.Member> members;

  @BeforeAll
  static void form() throws Exception {
    Path rules = Files.writeString(folder.resolve("access.rules"), RULES);
    String more =
        """
        cluster.writes = forward
        access.rules = "%s"
        passwordPolicy.default = "cn=policy,%s"
        guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
        dynamicEntries { enabled = true, checkIntervalSeconds = 60 }
        """
            .formatted(rules, TOP);
    cluster = LiveMembers.form(folder, 2, _ -> more);
    members = new ArrayList<>(List.of(cluster.leader()));
    members.addAll(cluster.followers());
    root = members.getFirst().connect();
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add("dn: " + DESK, "objectClass: organizationalUnit", "ou: desk");
    root.add(
        "dn: cn=policy," + TOP,
        "objectClass: device",
        "objectClass: pwdPolicy",
        "pwdAttribute: userPassword",
        "pwdLockout: TRUE",
        "pwdMaxFailure: 5",
        "pwdMustChange: TRUE");
    for (String name : List.of("ann", "bob", "proxy", "self0", "self1", "reset0", "reset1")) {
      root.add(
          "dn: " + user(name),
          "objectClass: inetOrgPerson",
          "uid: " + name,
          "cn: " + name,
          "sn: A user",
          "userPassword: secret");
    }
    for (int i = 0; i < members.size(); i++) {
      root.add(
          "dn: " + pen(i),
          "objectClass: inetOrgPerson",
          "cn: pen" + i,
          "sn: A pen",
          "employeeNumber: 7",
          "description: first");
    }
    LiveMembers.Member follower = members.getLast();
    eventually("the follower has all", () -> rootSees(follower, pen(1)));
  }

  @AfterAll
  static void stop() {
    root.close();
    cluster.close();
  }

  private static String user(String name) {
    return "uid=" + name + "," + TOP;
  }

  private static String pen(int number) {
    return "cn=pen" + number + "," + DESK;
  }

  private static boolean rootSees(LiveMembers.Member member, String name) throws LDAPException {
    try (LDAPConnection client = member.connect()) {
      return client.getEntry(name) != null;
    }
  }

  private static LDAPConnection connect(int member, String user, String password)
      throws LDAPException {
    LDAPConnection client = new LDAPConnection("127.0.0.1", members.get(member).port());
    if (!user.isEmpty()) {
      client.bind(user(user), password);
    }
    return client;
  }

  /** A try of one client at one member. */
  private interface Try {
    LDAPResult of(LDAPConnection client, int member) throws LDAPException;
  }

  /** Returns what a client is told at a member, without what differs between the two entries. */
  private static String told(int member, String user, Try request) throws LDAPException {
    try (LDAPConnection client = connect(member, user, "secret")) {
      return told(client, member, request);
    }
  }

  private static String told(LDAPConnection client, int member, Try request) {
    LDAPResult result;
    try {
      result = request.of(client, member);
    } catch (LDAPException e) {
      result = e.toLDAPResult();
    }
    return (result.getResultCode()
            + " "
            + result.getDiagnosticMessage()
            + " "
            + result.getMatchedDN())
        .replace("pen" + member, "pen")
        .replace("self" + member, "self")
        .replace("reset" + member, "reset");
  }

  /** Requires that a client is told the same at both members, with a result code. */
  private static void shouldBeTold(ResultCode code, String user, Try request) throws LDAPException {
    String there = told(0, user, request);
    assertThat(there).startsWith(code.toString());
    assertThat(told(1, user, request)).isEqualTo(there);
  }

  private static Try describe(String value, Control... controls) {
    return (client, member) ->
        client.modify(
            new ModifyRequest(
                pen(member),
                List.of(new Modification(ModificationType.REPLACE, "description", value)),
                controls));
  }

  /** Returns what an entry has, as root sees it at a member. */
  private static String value(int member, String name, String attribute) throws LDAPException {
    try (LDAPConnection client = members.get(member).connect()) {
      return String.valueOf(client.getEntry(name, attribute).getAttributeValue(attribute));
    }
  }

  @Test
  void shouldDecideRightsByTheClient() throws Exception {
    shouldBeTold(ResultCode.SUCCESS, "ann", describe("by ann"));
    for (int i = 0; i < members.size(); i++) {
      assertThat(value(1, pen(i), "modifiersName")).isEqualTo(user("ann"));
    }
    for (String user : List.of("bob", "proxy", "")) {
      ResultCode none = ResultCode.INSUFFICIENT_ACCESS_RIGHTS;
      // A client that has not bound may not know if there is an entry.
      ResultCode code = user.isEmpty() ? ResultCode.NO_SUCH_OBJECT : none;
      String expected = told(0, user, describe("by " + user));
      assertThat(expected).as(user).doesNotStartWith("0 ").doesNotContain("unavailable");
      assertThat(told(1, user, describe("by " + user))).as(user).isEqualTo(expected);
      if (!user.isEmpty()) {
        shouldBeTold(code, user, describe("by " + user));
      }
      Try deletion = (client, member) -> client.delete(new DeleteRequest(pen(member)));
      assertThat(told(1, user, deletion)).isEqualTo(told(0, user, deletion)).doesNotStartWith("0 ");
      Try renaming =
          (client, member) -> client.modifyDN(new ModifyDNRequest(pen(member), "cn=other", true));
      assertThat(told(1, user, renaming)).isEqualTo(told(0, user, renaming)).doesNotStartWith("0 ");
      Try addition =
          (client, _) -> client.add("cn=new," + DESK, new Attribute("objectClass", "device"));
      assertThat(told(1, user, addition)).isEqualTo(told(0, user, addition)).doesNotStartWith("0 ");
    }
    for (int i = 0; i < members.size(); i++) {
      assertThat(value(i, pen(i), "description")).isEqualTo("by ann");
    }
  }

  @Test
  void shouldCompareAndSet() throws Exception {
    Control isThere = new AssertionRequestControl("(description=set)");
    Control isNot = new AssertionRequestControl("(!(description=set))");
    shouldBeTold(ResultCode.SUCCESS, "ann", describe("set"));
    shouldBeTold(ResultCode.ASSERTION_FAILED, "ann", describe("not so", isNot));
    shouldBeTold(ResultCode.SUCCESS, "ann", describe("set again", isThere));
    shouldBeTold(ResultCode.ASSERTION_FAILED, "ann", describe("twice", isThere));
    assertThat(value(0, pen(1), "description")).isEqualTo("set again");
  }

  @Test
  void shouldReadBeforeAndAfterWhatTheClientMayRead() throws Exception {
    String[] all = {"description", "employeeNumber"};
    for (int i = 0; i < members.size(); i++) {
      assertThat(told(i, "ann", describe("before"))).startsWith("0 ");
      try (LDAPConnection ann = connect(i, "ann", "secret")) {
        LDAPResult result =
            describe("after", new PreReadRequestControl(all), new PostReadRequestControl(all))
                .of(ann, i);
        assertThat(result.getResponseControls()).hasSize(2);
        assertThat(PreReadResponseControl.get(result).getEntry().toLDIFString())
            .contains("description: before")
            .doesNotContain("employeeNumber");
        assertThat(PostReadResponseControl.get(result).getEntry().toLDIFString())
            .contains("dn: " + pen(i), "description: after")
            .doesNotContain("employeeNumber");
      }
    }
  }

  @Test
  void shouldActForOthersByTheRightToDoSo() throws Exception {
    Control asAnn = new ProxiedAuthorizationV2RequestControl("dn:" + user("ann"));
    Control asBob = new ProxiedAuthorizationV2RequestControl("dn:" + user("bob"));
    Control asRoot = new ProxiedAuthorizationV2RequestControl("dn:cn=admin");
    shouldBeTold(ResultCode.SUCCESS, "proxy", describe("as ann", asAnn));
    assertThat(value(0, pen(1), "modifiersName")).isEqualTo(user("ann"));
    shouldBeTold(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, "proxy", describe("as bob", asBob));
    shouldBeTold(ResultCode.AUTHORIZATION_DENIED, "bob", describe("as ann too", asAnn));
    shouldBeTold(ResultCode.AUTHORIZATION_DENIED, "proxy", describe("as root", asRoot));
    assertThat(value(0, pen(1), "description")).isEqualTo("as ann");
  }

  private static Try changes(String former, String next) {
    return (client, _) ->
        client.processExtendedOperation(new PasswordModifyExtendedRequest(former, next));
  }

  @Test
  void shouldChangeThePasswordOfItsUser() throws Exception {
    for (int i = 0; i < members.size(); i++) {
      String name = "self" + i;
      try (LDAPConnection self = connect(i, name, "secret")) {
        assertThat(told(self, i, changes("wrong", "new")))
            .as("member %s", i)
            .startsWith(ResultCode.UNWILLING_TO_PERFORM.toString());
        // A wrong old password is a guess, which the policy counts.
        assertThat(value(i, user(name), "pwdFailureTime")).isNotEqualTo("null");
        assertThat(told(self, i, changes("secret", "new"))).startsWith("0 ");
        PasswordModifyExtendedResult generated =
            (PasswordModifyExtendedResult)
                self.processExtendedOperation(new PasswordModifyExtendedRequest("new", null));
        assertThat(generated.getResultCode()).isEqualTo(ResultCode.SUCCESS);
        String password = generated.getGeneratedPassword();
        assertThat(password).isNotEmpty();
        // This member has it at once, and the other one soon.
        connect(i, name, password).close();
        int other = 1 - i;
        eventually("the other member has it", () -> isBound(other, name, password));
        assertThat(isBound(i, name, "secret")).isFalse();
        assertThat(isBound(i, name, "new")).isFalse();
      }
      // Nobody changes that of another one.
      try (LDAPConnection bob = connect(i, "bob", "secret")) {
        Try foreign =
            (client, _) ->
                client.processExtendedOperation(
                    new PasswordModifyExtendedRequest(user(name), null, "stolen"));
        assertThat(told(bob, i, foreign)).doesNotStartWith("0 ");
        assertThat(isBound(i, name, "stolen")).isFalse();
      }
    }
  }

  private static boolean isBound(int member, String user, String password) {
    try {
      connect(member, user, password).close();
      return true;
    } catch (LDAPException e) {
      assertThat(e.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      return false;
    }
  }

  @Test
  void shouldLetAClientThatMustChangeItsPasswordDoNothingElse() throws Exception {
    List<String> refusals = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      String name = "reset" + i;
      root.modify(
          user(name), new Modification(ModificationType.REPLACE, "userPassword", "secret" + i));
      int member = i;
      eventually("the member has it", () -> isBound(member, name, "secret" + member));
      try (LDAPConnection client = connect(i, name, "secret" + i)) {
        refusals.add(told(client, i, describe("before the password")));
        Try addition =
            (each, _) -> each.add("cn=new," + DESK, new Attribute("objectClass", "device"));
        refusals.add(told(client, i, addition));
        assertThat(value(i, pen(i), "description")).isNotEqualTo("before the password");
        assertThat(told(client, i, changes("secret" + i, "own" + i))).startsWith("0 ");
        // The same connection may do all that its user may.
        assertThat(told(client, i, describe("after the password"))).startsWith("0 ");
        assertThat(value(i, user(name), "pwdReset")).isEqualTo("null");
      }
      // And so by a modify.
      root.modify(
          user(name), new Modification(ModificationType.REPLACE, "userPassword", "again" + i));
      eventually("the member has it", () -> isBound(member, name, "again" + member));
      try (LDAPConnection client = connect(i, name, "again" + i)) {
        refusals.add(told(client, i, describe("before the password")));
        client.modify(
            user(name), new Modification(ModificationType.REPLACE, "userPassword", "mine" + i));
        assertThat(told(client, i, describe("after the modify"))).startsWith("0 ");
      }
    }
    assertThat(refusals.subList(3, 6)).isEqualTo(refusals.subList(0, 3));
    assertThat(refusals).noneMatch(each -> each.startsWith("0 "));
  }

  private static ExtendedRequest refresh(String name) {
    ASN1Sequence value =
        new ASN1Sequence(new ASN1OctetString((byte) 0x80, name), new ASN1Integer((byte) 0x81, 900));
    return new ExtendedRequest(REFRESH, new ASN1OctetString(value.encode()));
  }

  @Test
  void shouldRefreshDynamicEntries() throws Exception {
    for (int i = 0; i < members.size(); i++) {
      String name = "cn=dynamic" + i + "," + DESK;
      try (LDAPConnection there = members.get(i).connect();
          LDAPConnection bob = connect(i, "bob", "secret")) {
        there.add(
            name,
            new Attribute("objectClass", "device", "dynamicObject"),
            new Attribute("cn", "dynamic" + i));
        ExtendedResult result = there.processExtendedOperation(refresh(name));
        assertThat(result.getResultCode()).isEqualTo(ResultCode.SUCCESS);
        assertThat(result.getOID()).isEqualTo(REFRESH);
        assertThat(result.getValue()).isNotNull();
        assertThat(ASN1Sequence.decodeAsSequence(result.getValue().getValue()).elements())
            .hasSize(1);
        assertThat(Integer.parseInt(value(i, name, "entryTtl"))).isBetween(600, 900);
        ExtendedResult refused = bob.processExtendedOperation(refresh(name));
        assertThat(refused.getResultCode()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
        ExtendedResult none = there.processExtendedOperation(refresh("cn=none," + DESK));
        assertThat(none.getResultCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
        int other = 1 - i;
        eventually(
            "the other member has it",
            () -> {
              String left = value(other, name, "entryTtl");
              return !left.equals("null") && Integer.parseInt(left) > 600;
            });
      }
    }
  }
}
