package org.nyala.tarball;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.nyala.process.DocumentedPage.Block;

/** Types the page about access rules, whose examples are checked and whose users exist. */
class AccessRulesPageIT extends PageTestCase {
  /** The beginning of the rules by which a subtree has rules of its own. */
  private static final String DELEGATION = "people salesAdmins";

  private static final String DATA =
      """
      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: ou=people,dc=example,dc=com
      objectClass: organizationalUnit
      ou: people

      dn: ou=groups,dc=example,dc=com
      objectClass: organizationalUnit
      ou: groups

      dn: ou=sales,dc=example,dc=com
      objectClass: organizationalUnit
      ou: sales

      dn: cn=admins,ou=groups,dc=example,dc=com
      objectClass: groupOfNames
      cn: admins
      member: uid=ann,ou=people,dc=example,dc=com

      dn: cn=admins,ou=sales,dc=example,dc=com
      objectClass: groupOfNames
      cn: admins
      member: uid=ann,ou=people,dc=example,dc=com

      dn: cn=it,ou=groups,dc=example,dc=com
      objectClass: groupOfNames
      cn: it
      owner: uid=bob,ou=people,dc=example,dc=com
      member: uid=eve,ou=people,dc=example,dc=com

      """;

  private static final String PERSON =
      """
      dn: uid=%1$s,ou=people,dc=example,dc=com
      objectClass: inetOrgPerson
      uid: %1$s
      cn: %2$s
      sn: %2$s
      homePhone: 1
      userPassword: capstan

      """;

  AccessRulesPageIT() throws IOException {
    super("access-rules.adoc");
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    Files.writeString(
        home.resolve("conf/nyala.conf"),
        """
        nyala {
          listeners = ["ldap://127.0.0.1:1389"]
          suffixes = ["dc=example,dc=com"]
          root { dn = "cn=admin,dc=example,dc=com", password = capstan }
          access.rules = "conf/access.rules"
          password { scheme = SSHA512, upgradeAtBind = false }
        }
        """);
    Path data =
        write(
            "data.ldif",
            DATA
                + PERSON.formatted("ann", "Ann")
                + PERSON.formatted("bob", "Bob")
                + PERSON.formatted("eve", "Eve"));
    Path slapd =
        write(
            "slapd.conf",
            """
            database mdb
            suffix dc=example,dc=com
            access to attrs=userPassword by self write by anonymous auth
            access to * by group.exact="cn=admins,ou=groups,dc=example,dc=com" write by users read
            """);
    replacements.put("/etc/ldap/slapd.conf", slapd.toString());
    typist.type("bin/nyala import " + data, "bin/nyala start");
    end();
  }

  /** Checks rules, and puts those into force that the page goes on with. */
  @Override
  void rules(Block block) throws Exception {
    super.rules(block);
    if (block.text().getFirst().startsWith(DELEGATION)) {
      Path rules = home.resolve("conf/access.rules");
      Files.writeString(rules, block.file() + Files.readString(rules));
      typist.type("bin/nyala reload");
    }
  }
}
