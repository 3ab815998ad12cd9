package org.nyala.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The configuration and the schema of a {@link SlapdInstallation}, in slapd's words. Stateless. */
final class SlapdFiles {
  private static final Path NAMED_OBJECT = Path.of("/etc/ldap/schema/namedobject.schema");

  /** Definitions whose {@code sshPublicKey} is not the one of OpenSSH LPK. */
  private static final String SCHEMA =
      """
      # The schema of Acme.
      objectIdentifier acme 1.3.6.1.4.1.55555
      objectIdentifier acmeAttribute acme:1
      objectIdentifier acmeClass acme:2

      attributetype ( acmeAttribute:1 NAME 'acmeBadge' DESC 'The number on a badge'
        EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch
        SYNTAX 1.3.6.1.4.1.1466.115.121.1.15{64} SINGLE-VALUE )
      attributetype ( acmeAttribute:2 NAME 'sshPublicKey' DESC 'Keys of ssh'
        EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )
      attributetype ( acmeAttribute:3 NAME ( 'acmeLevel' 'acmeRank' )
        EQUALITY integerMatch ORDERING integerOrderingMatch
        SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
      attributetype ( acmeAttribute:4 NAME 'acmeCertified'
        EQUALITY booleanMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE )
      attributetype ( acmeAttribute:5 NAME 'acmeHired'
        EQUALITY generalizedTimeMatch ORDERING generalizedTimeOrderingMatch
        SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE )
      attributetype ( acmeAttribute:6 NAME 'acmeSkill' SUP name )

      objectclass ( acmeClass:1 NAME 'acmePerson' SUP top AUXILIARY
        MUST acmeBadge
        MAY ( sshPublicKey $ acmeLevel $ acmeCertified $ acmeHired $ acmeSkill ) )
      objectclass ( acmeClass:2 NAME 'acmeBuilding' SUP top STRUCTURAL
        MUST acmeBadge MAY ( l $ description ) )
      """;

  private static final String CONFIGURATION =
      """
      # The configuration of slapd.
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      include /etc/ldap/schema/inetorgperson.schema
      include /etc/ldap/schema/nis.schema
      NAMEDOBJECT
      include FOLDER/schema/acme.schema

      pidfile FOLDER/slapd.pid
      argsfile FOLDER/slapd.args
      loglevel stats
      modulepath /usr/lib/ldap
      moduleload back_mdb
      moduleload back_monitor
      moduleload argon2
      moduleload pw-sha2
      moduleload memberof
      moduleload refint
      moduleload unique
      moduleload ppolicy
      moduleload syncprov
      moduleload valsort

      serverID 1
      sizelimit size.soft=500 size.hard=2000
      timelimit 60
      idletimeout 300
      password-hash {SSHA}
      TLSCACertificateFile FOLDER/tls/server.pem
      TLSCertificateFile FOLDER/tls/server.pem
      TLSCertificateKeyFile FOLDER/tls/server.key
      TLSVerifyClient allow
      authz-policy none
      authz-regexp "^uid=([^,]+),cn=[^,]+,cn=auth$" "uid=$1,ou=People,dc=example,dc=com"
      authz-regexp "^cn=([^,]+),o=clients$"
        "ldap:///dc=example,dc=com??sub?(&(objectClass=inetOrgPerson)(cn=$1))"

      access to dn.base="" by * read
      access to dn.base="cn=Subschema" by * read

      database config
      rootpw config

      database mdb
      suffix "dc=example,dc=com"
      rootdn "cn=admin,dc=example,dc=com"
      # anchor
      rootpw {SSHA}IbJh3lSSR4Yh8HRuk3An+1BmdzRWMQoN
      directory FOLDER/data/example
      maxsize 1073741824
      checkpoint 512 30
      index default pres,eq
      index objectClass eq
      index entryCSN,entryUUID eq
      index uid,mail eq,pres,sub
      index cn,sn,givenName eq,sub,approx
      index member,memberOf,uniqueMember,memberUid eq
      index uidNumber,gidNumber eq
      index acmeBadge eq
      index acmeSkill eq,sub
      index description sub
      index telephoneNumber
      limits dn.exact="uid=sync,ou=Services,dc=example,dc=com" size=unlimited time=unlimited
      limits group="cn=admins,ou=Groups,dc=example,dc=com" size.soft=1000 size.hard=unlimited
      limits users size.soft=600
      limits anonymous size.soft=20 size.hard=50 time=5
      access to attrs=userPassword,shadowLastChange
        by self write
        by group.exact="cn=admins,ou=Groups,dc=example,dc=com" write
        by anonymous auth
        by * none
      access to dn.subtree="ou=Services,dc=example,dc=com"
        by group.exact="cn=admins,ou=Groups,dc=example,dc=com" write
        by dn.exact="uid=sync,ou=Services,dc=example,dc=com" read
        by * none
      access to dn.regex="^uid=([^,]+),ou=People,dc=example,dc=com$" attrs=mobile,loginShell
        by dn.exact,expand="uid=$1,ou=People,dc=example,dc=com" write
        by users read
        by * none
      access to dn.subtree="ou=People,dc=example,dc=com" attrs=acmeLevel
        by set="this/manager & user" write
        by * read
      access to *
        by dn.exact="uid=sync,ou=Services,dc=example,dc=com" read
        by users read
        by peername.ip=127.0.0.1 read
        by * search

      overlay memberof
      memberof-refint TRUE
      memberof-dangling ignore
      overlay refint
      refint_attributes member uniqueMember manager
      refint_nothing cn=nobody
      overlay unique
      unique_uri ldap:///ou=People,dc=example,dc=com?mail?sub
      unique_uri ldap:///?uidNumber?sub?(objectClass=posixAccount)
      overlay ppolicy
      ppolicy_default "cn=default,ou=Policies,dc=example,dc=com"
      ppolicy_use_lockout
      overlay valsort
      valsort-attr acmeSkill ou=People,dc=example,dc=com weighted
      overlay syncprov
      syncprov-checkpoint 100 10
      syncprov-sessionlog 1000

      database mdb
      suffix "o=partners"
      rootdn "cn=manager,o=partners"
      rootpw anchor
      directory FOLDER/data/partners
      maxsize 268435456
      index objectClass,mail eq
      index cn,sn sub
      sizelimit 100
      access to attrs=userPassword by self write by anonymous auth by * none
      access to * by dn.subtree="o=partners" read by * none

      database monitor
      """;

  private SlapdFiles() {}

  /** Writes {@code slapd.conf} and {@code schema/acme.schema} into a folder. */
  static void write(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("schema"));
    Files.writeString(folder.resolve("schema/acme.schema"), SCHEMA);
    boolean hasNamedObject = Files.isReadable(NAMED_OBJECT);
    Files.writeString(
        folder.resolve("slapd.conf"),
        CONFIGURATION
            .replace("NAMEDOBJECT", hasNamedObject ? "include " + NAMED_OBJECT : "")
            .replace("FOLDER", folder.toString()));
  }
}
