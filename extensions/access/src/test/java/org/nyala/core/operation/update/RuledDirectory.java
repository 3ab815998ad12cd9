package org.nyala.core.operation.update;

import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.session.OperationFixture.entry;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

/** A directory whose access rules decide, and its users. */
public final class RuledDirectory implements AutoCloseable {
  public static final String BOB = "uid=bob," + PEOPLE;
  public static final String GROUPS = "ou=groups," + TOP;
  public static final String ADMINS = "cn=admins," + GROUPS;
  public static final String HIDDEN = "ou=hidden," + TOP;
  public static final String SECRET = "cn=secret," + HIDDEN;

  public final UpdateFixture directory;

  public RuledDirectory() {
    this(entries());
  }

  public RuledDirectory(List<Entry> entries) {
    directory = new UpdateFixture(entries);
    directory.rights = new RulesService();
  }

  private static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>(UpdateFixture.defaults());
    entries.add(
        entry(
            BOB,
            "objectClass",
            "inetOrgPerson",
            "uid",
            "bob",
            "cn",
            "Bob",
            "sn",
            "B",
            "mail",
            "b"));
    entries.add(entry(GROUPS, "objectClass", "organizationalUnit", "ou", "groups"));
    entries.add(
        entry(
            ADMINS,
            "objectClass",
            "groupOfNames",
            "cn",
            "admins",
            "member",
            BOB,
            "owner",
            BOB,
            "description",
            "all"));
    entries.add(entry(HIDDEN, "objectClass", "organizationalUnit", "ou", "hidden"));
    entries.add(entry(SECRET, "objectClass", "device", "cn", "secret", "description", "red"));
    return entries;
  }

  /** Sets the rules, of which each line below a target begins with a space. */
  public void rules(String... texts) {
    directory.access =
        directory.access.withRules(new RulesText("r", String.join("\n", texts) + "\n"));
    directory.operations().reconfigure(directory.access, directory.limits, RootAccounts.NONE);
  }

  public RecordingSink run(String user, Request request) {
    directory.identity = identity(user);
    return directory.run(request);
  }

  static BoundIdentity identity(String user) {
    return user.isEmpty()
        ? BoundIdentity.ANONYMOUS
        : new BoundIdentity(UpdateFixture.dn(user), false);
  }

  public LdapResult result(String user, Request request) {
    return run(user, request).results.getFirst();
  }

  public ResultCode code(String user, Request request) {
    return result(user, request).code();
  }

  public ResultCode asRoot(Request request) {
    directory.identity = OperationFixture.ROOT;
    return directory.code(request);
  }

  @Override
  public void close() {
    directory.close();
  }
}
