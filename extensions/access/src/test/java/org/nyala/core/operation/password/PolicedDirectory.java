package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.policy.PolicyResponse;
import org.nyala.core.quality.PasswordChecks;
import org.nyala.core.sasl.SaslSettings;

/**
 * A directory with a password policy for all accounts, whose clock tests move. Each login is
 * recorded, to the second.
 */
final class PolicedDirectory implements AutoCloseable {
  static final String POLICY = "cn=policy," + UpdateFixture.TOP;

  /** The kinds of changes in a modify. */
  static final int ADD = 0;

  static final int DELETE = 1;
  static final int REPLACE = 2;

  /** Rules by which users may do with their own passwords what they like. */
  static final String RULES =
      """
      to attributes userPassword
        self may write
        anonymous may authenticate
      to all
        users may read
      """;

  /** The control that asks for the answers of policies. */
  static final List<RequestControl> ASKS =
      List.of(new RequestControl(PolicyResponse.OID, false, null));

  volatile Instant now = Instant.parse("2026-01-31T12:00:00Z");
  final LiveDirectory directory;
  final LiveDirectory.Client root;

  /**
   * Creates a directory.
   *
   * @param rules the access rules; null for the access without any
   */
  PolicedDirectory(String strategy, @Nullable String rules) {
    PolicySettings settings =
        new PolicySettings(
            UpdateFixture.dn(POLICY), List.of(), false, true, true, 0, false, PasswordChecks.NONE);
    AccessPolicy access =
        new AccessPolicy(true).withPasswordPolicy(settings).withSasl(SaslSettings.DEFAULT);
    directory =
        new LiveDirectory(
            strategy,
            rules == null ? access : access.withRules(new RulesText("r", rules)),
            new RulesService(),
            () -> now);
    root = directory.root();
    add(
        POLICY,
        "objectClass=device",
        "objectClass=pwdPolicy",
        "cn=policy",
        "pwdAttribute=2.5.4.35");
  }

  static String name(String user) {
    return "cn=" + user + "," + UpdateFixture.TOP;
  }

  /** Adds an entry of attributes, each with its value after a sign of equality. */
  void add(String name, String... attributes) {
    List<Request.AttributeValues> values = new ArrayList<>();
    for (String each : attributes) {
      int at = each.indexOf('=');
      values.add(UpdateFixture.values(each.substring(0, at), each.substring(at + 1)));
    }
    assertThat(root.ask(new Request.Add(root.nextId(), name, values, List.of())).result().code())
        .isEqualTo(ResultCode.SUCCESS);
  }

  /** Adds the account of a user. */
  void addUser(String user, String password) {
    add(
        name(user),
        "objectClass=person",
        "cn=" + user,
        "sn=Smith",
        "userPassword=" + hashed(password));
  }

  void delete(String name) {
    assertThat(root.ask(new Request.Delete(root.nextId(), name, List.of())).result().code())
        .isEqualTo(ResultCode.SUCCESS);
  }

  /** Gives the policy attributes; those with empty values are taken from it. */
  void policy(Map<String, String> attributes) {
    List<Request.Change> changes = new ArrayList<>();
    attributes.forEach(
        (name, value) ->
            changes.add(
                value.isEmpty()
                    ? UpdateFixture.change(REPLACE, name)
                    : UpdateFixture.change(REPLACE, name, value)));
    asRoot(POLICY, changes.toArray(Request.Change[]::new));
  }

  /** Modifies an entry as root, which succeeds. */
  void asRoot(String name, Request.Change... changes) {
    assertThat(modify(root, name, changes).code()).isEqualTo(ResultCode.SUCCESS);
  }

  /** Sets a password as root, as the server itself would store it. */
  void set(String name, String password) {
    asRoot(name, UpdateFixture.change(REPLACE, "userPassword", hashed(password)));
  }

  /** Returns a password as the server itself would store it. */
  static String hashed(String password) {
    byte[] bytes = password.getBytes(UTF_8);
    return new String(PasswordHash.create(PasswordScheme.SSHA512, bytes, new Random(1)), UTF_8);
  }

  /** Waits until all that was begun before is written. */
  void settle() {
    asRoot(POLICY, UpdateFixture.change(REPLACE, "description", "settled"));
  }

  PolicyAnswer ask(LiveDirectory.Client client, Request request) {
    return PolicyAnswer.of(client.ask(request).result());
  }

  PolicyAnswer modify(LiveDirectory.Client client, String name, Request.Change... changes) {
    return ask(client, new Request.Modify(client.nextId(), name, List.of(changes), ASKS));
  }

  PolicyAnswer bind(LiveDirectory.Client client, String name, String password) {
    return ask(
        client, new Request.Bind(client.nextId(), 3, name, null, password.getBytes(UTF_8), ASKS));
  }

  /** Binds by PLAIN. */
  PolicyAnswer plain(LiveDirectory.Client client, String name, String password) {
    byte[] message = ("\0dn:" + name + '\0' + password).getBytes(UTF_8);
    return ask(client, new Request.Bind(client.nextId(), 3, "", "PLAIN", message, ASKS));
  }

  /** Changes a password by Password Modify. */
  PolicyAnswer passwordModify(
      LiveDirectory.Client client, String name, @Nullable String old, String wanted) {
    BerWriter content = new BerWriter().octets(0x80, name.getBytes(UTF_8));
    if (old != null) {
      content.octets(0x81, old.getBytes(UTF_8));
    }
    content.octets(0x82, wanted.getBytes(UTF_8));
    byte[] value = new BerWriter().sequence(content).toByteArray();
    return ask(
        client, new Request.Extended(client.nextId(), AccountControl.PASSWORD_MODIFY, value, ASKS));
  }

  /** Reads nothing of an entry. */
  PolicyAnswer search(LiveDirectory.Client client, String name) {
    return ask(
        client,
        new Request.Search(
            client.nextId(),
            name,
            Scope.BASE,
            DerefAliases.NEVER,
            0,
            0,
            false,
            new FilterNode.Present("objectClass"),
            List.of("1.1"),
            ASKS));
  }

  /** Returns the times of an attribute, sorted. */
  List<Instant> times(String name, String attribute) {
    return directory.values(name, attribute).stream().map(PolicedDirectory::time).sorted().toList();
  }

  private static Instant time(String value) {
    String date = value.substring(0, 4) + '-' + value.substring(4, 6) + '-' + value.substring(6, 8);
    String hour = value.substring(8, 10) + ':' + value.substring(10, 12) + ':';
    return Instant.parse(date + 'T' + hour + value.substring(12));
  }

  @Override
  public void close() {
    assertThat(directory.internalErrors()).isZero();
    directory.close();
  }
}
