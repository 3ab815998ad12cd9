package org.nyala.blind;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules and what they hide from all clients of a test.
 *
 * <p>Immutable.
 *
 * @param configuration further lines of the configuration file
 * @param rules the file of access rules; null for those of the distribution, empty for none
 * @param hidden what two directories differ in
 */
record Scenario(String name, String configuration, @Nullable String rules, Set<Secret> hidden) {
  private static final String GENERAL =
      """
      guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
      password.upgradeAtBind = false, dynamicEntries.enabled = true
      referentialIntegrity.attributes = [member, manager, owner]
      uniqueness = [{ attributes = [pager] }]
      indexes {
        uid = [eq, sub], cn = [eq, sub], mail = [eq, sub], objectClass = [eq], member = [eq], uniqueMember = [eq], manager = [eq]
        owner = [eq], employeeNumber = [eq], pager = [eq, pres], description = [sub], entryUUID = [eq]
        pwdFailureTime = [eq, pres], title = [eq], memberOf = [eq]
      }
      """;

  /** Hides by place, filter, attribute, option and value from everybody but one. */
  private static final String LISTED =
      """
      people admins = entry "uid=boss,ou=people,dc=example,dc=com"
      people writer = entry "uid=bob,ou=people,dc=example,dc=com"
      to entry ""
        all may read
      to entry "cn=Subschema"
        all may read
      to subtree "cn=vault,dc=example,dc=com"
        admins may manage
      to subtree "dc=example,dc=com" where (businessCategory=secret)
        admins may manage
      to below "ou=desk,dc=example,dc=com" attributes userPassword
        writer may write
        anonymous may authenticate
        admins may manage
      to attributes userPassword
        self may write
        anonymous may authenticate
        admins may manage
      HIDDEN
      to subtree "dc=example,dc=com" attributes mail value "secret@example.com"
        admins may manage
      to subtree "dc=example,dc=com" attributes ref value "ldap://192.0.2.1/dc=secret"
        admins may manage
      to subtree "dc=example,dc=com" attributes member value subtree "cn=vault,dc=example,dc=com"
        admins may manage
      to subtree "ou=people,dc=example,dc=com" attributes children
        admins may manage
      to entry "uid=ann,ou=people,dc=example,dc=com" attributes entry
        writer may read, proxy
        all may read
      to entry "cn=tray,ou=desk,dc=example,dc=com" attributes children
        admins may manage
      to subtree "ou=desk,dc=example,dc=com"
        writer may read, write
        all may read
      to below "ou=people,dc=example,dc=com" attributes telephoneNumber, mail
        writer may read, write
        self may read, write
        all may read
      to below "ou=groups,dc=example,dc=com" attributes member
        listed in owner may read, write
        all may read
      to all
        admins may manage
        all may read
      """;

  /** Hides from all who are in no group, which is itself hidden; strangers see less. */
  private static final String GROUPED =
      """
      people insiders = group "cn=insiders,cn=vault,dc=example,dc=com" nested
      to entry ""
        all may read
      to entry "cn=Subschema"
        users may read
      to subtree "cn=vault,dc=example,dc=com"
        insiders may read
      to attributes userPassword
        insiders may read
        anonymous may authenticate
      to subtree "dc=example,dc=com" where (businessCategory=secret)
        insiders may read
      HIDDEN
      to subtree "dc=example,dc=com" attributes mail value "secret@example.com"
        insiders may read
      to subtree "dc=example,dc=com" attributes ref value "ldap://192.0.2.1/dc=secret"
        insiders may read
      to subtree "dc=example,dc=com" attributes member value subtree "cn=vault,dc=example,dc=com"
        insiders may read
      to attributes children
        insiders may read
        entry "uid=bob,ou=people,dc=example,dc=com" may write
        entry "uid=ann,ou=people,dc=example,dc=com" may disclose
      to subtree "dc=example,dc=com" attributes description, title
        users may compare
      to subtree "dc=example,dc=com" attributes sn
        users may search
      to subtree "ou=desk,dc=example,dc=com"
        entry "uid=bob,ou=people,dc=example,dc=com" may manage
        users may read
      to subtree "ou=links,dc=example,dc=com"
        all may read
      to subtree "dc=example,dc=com" where (ou=fence)
        all may read
      to subtree "ou=groups,dc=example,dc=com"
        all may read
      to entry "dc=example,dc=com"
        all may read
      to all
        users may read
      """;

  private static final String BY_ATTRIBUTE =
      """
      to subtree "dc=example,dc=com" attributes employeeNumber, homePhone, pager, cn;lang-de, \
      pwdHistory, pwdFailureTime, pwdAccountLockedTime, pwdChangedTime, pwdReset, pwdLastSuccess, \
      pwdPolicySubentry, pwdGraceUseTime
      """
          .strip();

  static final List<Scenario> ALL =
      List.of(
          new Scenario(
              "without rules", "access.anonymousRead = true", "", EnumSet.of(Secret.PASSWORDS)),
          new Scenario(
              "shipped rules",
              "memberOf.enabled = true",
              null,
              EnumSet.of(Secret.VAULT, Secret.ATTRIBUTES, Secret.PASSWORDS, Secret.STATE)),
          new Scenario(
              "rules that list what is hidden",
              "memberOf.enabled = true",
              LISTED.replace("HIDDEN", BY_ATTRIBUTE + "\n  admins may manage"),
              EnumSet.allOf(Secret.class)),
          new Scenario(
              "rules for a group",
              "memberOf { enabled = true, nested = true }",
              GROUPED.replace("HIDDEN", BY_ATTRIBUTE + "\n  insiders may read"),
              EnumSet.allOf(Secret.class)));

  String lines() {
    return GENERAL + configuration;
  }

  /** Returns whether strangers see entries that a standing search can tell of. */
  boolean showsStrangersSomething() {
    return rules != null;
  }

  @Override
  public String toString() {
    return name;
  }
}
