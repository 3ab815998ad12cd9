package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.error.ConfigurationException;

/** Tests invalid configurations and their error messages. */
class WrongConfigurationTest extends ConfigurationTestCase {
  @Test
  void shouldNameTheFileOnceWhereABraceIsMissing() throws IOException {
    Path file = write("nyala {\n  limits {\n");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file + ": 3: expecting");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "listener = 1|nyala.listener: there is no such key, did you mean 'listeners'?"
            + " (conf/nyala.conf and the reference have all keys)",
        "sizeLimit = 1|nyala.sizeLimit: there is no such key, did you mean"
            + " 'nyala.limits.sizeLimit'? (",
        "overlays = 1|nyala.overlays: there is no such key (conf/nyala.conf and the reference have"
            + " all keys)",
        "root { rootpw = x }|nyala.root.rootpw: there is no such key; expected one of dn, password,"
            + " passwordFile (conf",
        "limits { filterDepht = 1 }|nyala.limits.filterDepht: there is no such key, did you mean"
            + " 'filterDepth'?",
        "dispatch { a { b = 1 } }|nyala.dispatch.a: there is no such key",
        "limits { filterDepth = deep }"
            + "|nyala.limits.filterDepth: expected a whole number from 1 to 512, found 'deep'",
        "limits { filterDepth = 0 }"
            + "|nyala.limits.filterDepth: expected a whole number from 1 to 512, found '0'",
        "limits { filterDepth = 513 }|nyala.limits.filterDepth: expected a whole number from 1",
        "limits { filterDepth = 1.5 }|nyala.limits.filterDepth: expected a whole number from 1",
        "limits { filterDepth = [1] }|nyala.limits.filterDepth: expected a whole number from 1",
        "limits { sizeLimit = 99999999999999999999 }|nyala.limits.sizeLimit: expected a whole",
        "limits = 1|nyala.limits: expected an object in braces, found '1'",
        "limits { pduLimitBoundBytes = 2000 }|nyala.limits.pduLimitBoundBytes: expected a whole"
            + " number from 65536",
        "dynamicEntries { maximumTtlSeconds = 86399 }|nyala.dynamicEntries.maximumTtlSeconds:"
            + " expected a whole number from 86400 to 31557600",
        "dynamicEntries { defaultTtlSeconds = 86401 }"
            + "|nyala.dynamicEntries.defaultTtlSeconds: expected a whole number from 1 to 86400",
        "dynamicEntries { minimumTtlSeconds = 86401 }"
            + "|nyala.dynamicEntries.minimumTtlSeconds: expected a whole number from 0 to 86400",
        "store { mapSizeGiB = 10, maximumMapSizeGiB = 9 }"
            + "|nyala.store.maximumMapSizeGiB: expected a whole number from 10 to 16384, found '9'",
        "password { maximumCryptRounds = 4999 }"
            + "|nyala.password.maximumCryptRounds: expected a whole number from 5000 to 1000000000",
        "security { minimumStrength { any = 1 } }"
            + "|nyala.security.minimumStrength.any: encryption needs a certificate",
        "security { minimumStrength { simpleBind = 128 } }"
            + "|nyala.security.minimumStrength.simpleBind: encryption needs a certificate",
        "security { minimumStrength { write = 257 } }"
            + "|nyala.security.minimumStrength.write: expected a whole number from 0 to 256",
        "guessing { refillSeconds = 0 }"
            + "|nyala.guessing.refillSeconds: expected a whole number from 1 to 86400, found '0'",
        "guessing { failuresPerName = -1 }"
            + "|nyala.guessing.failuresPerName: expected a whole number from 0 to 1000000",
        "listeners = [\"pldap://x\"]"
            + "|nyala.listeners: pldap:// needs the proxies to trust: set nyala.proxy.from",
        "proxy.from = [192.0.2.0/33]"
            + "|nyala.proxy.from: expected an address or a network such as 192.0.2.0/24, found",
        "sasl { mechanisms = [SCRAM] }|nyala.sasl.mechanisms: expected one of EXTERNAL, PLAIN,"
            + " SCRAM-SHA-256",
        "sasl { gssapi { keytab = none } }|nyala.sasl.gssapi.keytab: /",
        "sasl { gssapi { keytab = nyala.conf } }|nyala.sasl.gssapi.keytab: /",
        "sasl { gssapi { layers = [] } }|nyala.sasl.gssapi.layers: expected at least one of auth,"
            + " auth-int",
        "sasl { gssapi { layers = [none] } }|nyala.sasl.gssapi.layers: expected one of auth,"
            + " auth-int",
        "sasl { gssapi { bufferBytes = 4095 } }"
            + "|nyala.sasl.gssapi.bufferBytes: expected a whole number from 4096 to 1048576",
        "sasl { map = [{ match = a }] }"
            + "|nyala.sasl.map[0].match: expected either dn or search beside it",
        "sasl { map = [{ match = \"(\", dn = a }] }"
            + "|nyala.sasl.map[0].match: expected a regular expression",
        "sasl { map = [{ source = email, dn = \"cn=$1\" }] }"
            + "|nyala.sasl.map[0].source: only mechanism = EXTERNAL has certificates",
        "sasl { map = [{ mechanism = EXTERNAL, source = mail, dn = \"cn=$1\" }]"
            + " }|nyala.sasl.map[0].source: expected one of subject, email, dns, uri, upn,"
            + " certificate",
        "sasl { map = [{ dn = \"cn=$2\" }] }"
            + "|nyala.sasl.map[0].dn: expected the number of one of 1 groups",
        "sasl { map = [{ search = \"(uid=$1)\" }] }"
            + "|nyala.sasl.map[0].search: expected ldap:///BASE??sub?FILTER",
        "sasl { map = [{ search = \"ldap:///??sub?($1=x)\" }] }"
            + "|nyala.sasl.map[0].search: expected $ in values only",
        "sasl { secret = short }|nyala.sasl.secret: expected a secret of at least 32 characters",
        "tls { certificate = a.pem, clientCertificate = optional }|nyala.tls.clientCertificate:"
            + " needs the authorities to trust: set nyala.tls.clientCa",
        "tls { clientCertificate = required, clientCa = a.pem }"
            + "|nyala.tls.clientCertificate: needs a certificate of the server",
        "tls { certificate = a.pem, clientCertificate = optional, clientCa = b.pem, clientCrl ="
            + " a.crl }|nyala.tls.clientCrl: has no effect",
        "tls { clientRevocation = crl }"
            + "|nyala.tls.clientRevocation: needs the revocation lists: set nyala.tls.clientCrl",
        "password { maximumArgon2Kibibytes = 7167 }"
            + "|nyala.password.maximumArgon2Kibibytes: expected a whole number from 7168",
        "log { security { format = stats } }"
            + "|nyala.log.security.format: expected one of off, text, json, found 'stats'",
        "log { security { failuresPerSecond = 0 } }"
            + "|nyala.log.security.failuresPerSecond: expected a whole number from 1 to 1000000",
        "access { anonymousRead = maybe }"
            + "|nyala.access.anonymousRead: expected true or false, found 'maybe'",
        "dispatch { strategy = fast }"
            + "|nyala.dispatch.strategy: expected one of adaptive, run-to-completion, striped,"
            + " virtual-threads, multi-queue, single-queue, load-conditioned, lightweight,"
            + " lightweight-conditioned, found 'fast'",
        "dispatch { queues = 0 }"
            + "|nyala.dispatch.queues: expected auto or a whole number from 1 to 1024, found '0'",
        "dispatch { connectionTable = sharded }|nyala.dispatch.connectionTable: expected per-loop,"
            + " global-lock or sharded(n), n from 1 to 1024, found 'sharded'",
        "dispatch { workers = 0 }"
            + "|nyala.dispatch.workers: expected auto or a whole number from 1 to 1024, found '0'",
        "transport = kqueue|nyala.transport: expected one of auto, epoll, io_uring, nio, found",
        "codec = unboundid|nyala.codec: expected one of direct, apache, found",
        "listeners = []|nyala.listeners: expected at least one listener",
        "listeners = [\"ldapi://x\"]"
            + "|nyala.listeners: expected ldapi:///PATH with at most 107 bytes, found 'ldapi://x'",
        "listeners = [\"ldaps://x\"]"
            + "|nyala.listeners: ldaps:// needs a certificate: set nyala.tls.certificate",
        "tls { key = x }|nyala.tls.key: expected certificate as well",
        "tls { certificates = [{ key = x }] }"
            + "|nyala.tls.certificates[0].key: expected certificate as well",
        "tls { certificates = [{}] }|nyala.tls.certificates[0].certificate: expected the name of a"
            + " file",
        "tls { certificates = [{ certificate = a, password = b }] }"
            + "|nyala.tls.certificates[0].password: expected passwordFile",
        "tls { engine = openssl }|nyala.tls.engine: expected one of auto, boringssl, jdk",
        "tls { handshakeTimeoutSeconds = 0 }"
            + "|nyala.tls.handshakeTimeoutSeconds: expected a whole number from 1",
        "listeners = \"ldap://x\"|nyala.listeners: expected a list in brackets, found 'ldap://x'",
        "data = \" \"|nyala.data: expected text that is not blank",
        "root { dn = \"cn=x\" }|nyala.root.dn: expected either password or passwordFile beside it",
        "root { password = x }|nyala.root: a password needs a dn beside it",
        "root { dn = \"cn=x\", password = a, passwordFile = b }"
            + "|nyala.root.passwordFile: expected either password or passwordFile, found both",
        "root { dn = \"cn=x\", passwordFile = none }|nyala.root.passwordFile: /",
        "management { http = x }|nyala.management.http: expected HOST:PORT, found 'x'",
        "management { httpTls = true }"
            + "|nyala.management.httpTls: needs a certificate: set nyala.tls.certificate, or nyala",
        "management { jmxTls = true, tls { } }"
            + "|nyala.management.jmxTls: needs a certificate: set nyala.tls.certificate, or nyala",
        "management { tls { key = x } }|nyala.management.tls.key: expected certificate as well",
        "management { httpMonitor { user = x } }|nyala.management.httpMonitor.user: expected either"
            + " password or passwordFile beside it",
        "management { http = \"0.0.0.0:9339\", httpMonitor { user = x, password = y }"
            + " }|nyala.management.http: 0.0.0.0 is not a loopback address: the password of"
            + " httpMonitor would cross the network in clear text: set httpTls = true, or listen on"
            + " 127.0.0.1",
        "management { http = \"0.0.0.0:9339\", httpAdmin { user = x, password = y }"
            + " }|nyala.management.http: 0.0.0.0 is not a loopback address: the password of"
            + " httpAdmin would cross the network in clear text: set httpTls = true",
        "management { httpAdmin { user = x, password = y }, httpMonitor { user = x, password = z }"
            + " }|nyala.management.httpAdmin.user: expected a user other than that of httpMonitor",
        "management { httpPage = login }|nyala.management.httpPage: a login needs an account",
        "management { httpPage = on }|nyala.management.httpPage",
        "management { jmx = \"0.0.0.0:9340\" }|nyala.management.jmx: 0.0.0.0 is not a loopback"
            + " address: expected a user and a password",
        "management { jmx = \"no.such.host.invalid:1\" }"
            + "|nyala.management.jmx: there is no host no.such.host.invalid",
        "management { jmxConnectionsPerAddress = 65 }"
            + "|nyala.management.jmxConnectionsPerAddress: expected a whole number from 1 to 64",
        "management { jmxLoginSeconds = 0 }"
            + "|nyala.management.jmxLoginSeconds: expected a whole number from 1 to 3600",
        "management { jmxAdmin { user = x } }"
            + "|nyala.management.jmxAdmin.user: expected either password or passwordFile beside it",
        "management { jmxMonitor { password = x } }"
            + "|nyala.management.jmxMonitor: a password needs a user beside it",
        "management { jmxAdmin { user = x, password = \"{ROT13}y\" } }"
            + "|nyala.management.jmxAdmin.password: the text after the scheme is malformed",
        "management { jmxAdmin { user = x, password = y }, jmxMonitor { user = x, password = y } }"
            + "|nyala.management.jmxMonitor.user: expected a user other than that of jmxAdmin",
        "replication { provider = \"ldap://p\", bind { dn = x, password = y } }"
            + "|nyala.replication.provider: entries and password hashes would cross the network",
        "replication { provider = \"ldap://p\", bind { mechanism = GSSAPI, user = x, keytab = y } }"
            + "|nyala.replication.provider: entries and password hashes would cross the network",
        "replication { provider = \"ldap://127.0.0.1\", bind { mechanism = EXTERNAL } }"
            + "|nyala.replication.bind.mechanism: EXTERNAL needs encryption and tls.certificate",
        "replication { provider = \"ldap://[::1]\", tls { trust = x }, bind { mechanism = anonymous"
            + " } }|nyala.replication.tls: connections to ldap:// are not encrypted",
        "replication { provider = \"ldap://p\", startTls = true, bind { dn = x, password = y } }"
            + "|nyala.replication",
        "replication { provider = \"ldaps://p\", startTls = true, bind { mechanism = anonymous } }"
            + "|nyala.replication.startTls: ldaps:// is encrypted already",
        "replication { provider = \"ldaps://p\", bind { mechanism = PLAIN, dn = x, password = y } }"
            + "|nyala.replication.bind.mechanism: PLAIN needs user as well",
        "indexes { uid = [fast] }|nyala.indexes.uid: expected a list of one or more of eq, sub",
        "indexes { uid = [eq, approx] }|nyala.indexes.uid: expected a list of one or more of eq,"
            + " sub, pres, ord; eq answers approximate matches (~=) as well",
        "indexes { uid = [] }|nyala.indexes.uid: expected a list of one or more of eq, sub",
        "indexes { uid = eq }|nyala.indexes.uid: expected a list in brackets, found 'eq'"
      })
  void shouldSayFileLineKeyAndWhatWasExpected(String setting, String complaint) throws IOException {
    Path file = write("nyala {\n\n" + setting + "\n}\n");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file + ":3: " + complaint);
  }

  @Test
  void shouldRefuseKeysBesideNyala() throws IOException {
    Path file = write("\nniala { data = x }\n");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            file
                + ":2: niala: there is no such key, did you mean 'nyala'? (conf/nyala.conf and the"
                + " reference have all keys)");
  }

  @Test
  void shouldSayWhereAFileIsNotHocon() throws IOException {
    Path file = write("nyala {\n  data = \n    x y [\n");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file.toString());
  }

  @Test
  void shouldRefuseAFileThatIsNotThere() {
    Path file = folder.resolve("missing.conf");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(file + ": there is no such file");
  }
}
