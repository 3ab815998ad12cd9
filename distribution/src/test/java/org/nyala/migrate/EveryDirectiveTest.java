package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.error.Installation;

/** Tests that no directive of slapd's manual pages is lost without a remark, in both forms. */
class EveryDirectiveTest {
  /** Those of slapd.conf(5) for the whole server. */
  private static final String SERVER =
      """
      allow argsfile attributeoptions authid-rewriteRule authz-policy authz-regexp backend
      concurrency conn_max_pending conn_max_pending_auth defaultsearchbase disallow extra_attrs
      gentlehup hidden idletimeout index_hash64 index_intlen index_substr_any_len
      index_substr_any_step index_substr_if_maxlen index_substr_if_minlen lastbind lastmod limits
      listener-threads localSSF logfile logfile-format logfile-only logfile-rotate loglevel maxderefdepth maxfilterdepth moduleload modulepath
      monitoring multiprovider password-crypt-salt-format password-hash pidfile plugin pluginlog
      readonly referral require restrict reverse-lookup rootDSE rootdn rootpw sasl-auxprops
      sasl-auxprops-dontusecopy sasl-auxprops-dontusecopy-ignore sasl-cbinding sasl-host sasl-realm
      sasl-regexp sasl-secprops schemadn security serverID sizelimit sockbuf_max_incoming
      sockbuf_max_incoming_auth sortvals tcp-buffer threadqueues threads timelimit
      TLSCACertificateFile TLSCACertificatePath TLSCertificateFile TLSCertificateKeyFile
      TLSCipherSuite TLSCRLCheck TLSCRLFile TLSDHParamFile TLSECName TLSProtocolMin TLSRandFile
      TLSVerifyClient tool-threads writetimeout
      """;

  /** Those of a database, and of slapd-mdb(5). */
  private static final String DATABASE =
      """
      access add_content_acl checkpoint dbnosync directory envflags extra_attrs hidden idlexp index
      lastbind lastbind-precision lastmod limits maxderefdepth maxentrysize maxreaders maxsize
      mirrormode mode monitoring multival multiprovider readonly require restrict rootdn rootpw
      rtxnsize schemadn searchstack security sizelimit subordinate sync_use_subentry syncrepl
      timelimit updatedn updateref loglevel disallow TLSCipherSuite
      """;

  /** Those of the overlays that are translated, which have no remark as a whole for all of them. */
  private static final Map<String, String> OVERLAYS =
      Map.of(
          "auditlog", "auditlog",
          "dds",
              "dds-default-ttl dds-interval dds-max-dynamicObjects dds-max-ttl dds-min-ttl dds-state"
                  + " dds-tolerance",
          "lastbind", "lastbind-precision lastbind_forward_updates",
          "memberof",
              "memberof-addcheck memberof-dangling memberof-dangling-error memberof-dn memberof-group-oc"
                  + " memberof-member-ad memberof-memberof-ad memberof-refint",
          "ppolicy",
              "ppolicy_check_module ppolicy_default ppolicy_disable_write ppolicy_forward_updates"
                  + " ppolicy_hash_cleartext ppolicy_send_netscape_controls ppolicy_use_lockout",
          "refint", "refint_attributes refint_modifiersname refint_nothing",
          "unique", "unique_attributes unique_base unique_ignore unique_strict unique_uri");

  private static final String OLC_GLOBAL =
      """
      olcAllows olcArgsFile olcAttributeOptions olcAuthIDRewrite olcAuthzPolicy olcAuthzRegexp
      olcConcurrency olcConfigDir olcConfigFile olcConnMaxPending olcConnMaxPendingAuth
      olcDefaultSearchBase olcDisallows olcGentleHUP olcIdleTimeout olcInclude olcIndexHash64
      olcIndexIntLen olcIndexSubstrAnyLen olcIndexSubstrAnyStep olcIndexSubstrIfMaxLen
      olcIndexSubstrIfMinLen olcListenerThreads olcLocalSSF olcLogFile olcLogFileFormat olcLogFileOnly olcLogFileRotate olcLogLevel olcMaxFilterDepth
      olcModuleLoad olcModulePath olcPasswordCryptSaltFormat olcPasswordHash olcPidFile olcPlugin
      olcPluginLogFile olcReadOnly olcReferral olcReplogFile olcRequires olcRestrict
      olcReverseLookup olcRootDN olcRootDSE olcRootPW olcSaslAuxprops olcSaslAuxpropsDontUseCopy
      olcSaslAuxpropsDontUseCopyIgnore olcSaslCBinding olcSaslHost olcSaslRealm olcSaslSecProps
      olcSecurity olcServerID olcSizeLimit olcSockbufMaxIncoming olcSockbufMaxIncomingAuth
      olcSortVals olcTCPBuffer olcThreadQueues olcThreads olcTimeLimit olcTLSCACertificate
      olcTLSCACertificateFile olcTLSCACertificatePath olcTLSCertificate olcTLSCertificateFile
      olcTLSCertificateKey olcTLSCertificateKeyFile olcTLSCipherSuite olcTLSCRLCheck olcTLSCRLFile
      olcTLSDHParamFile olcTLSECName olcTLSProtocolMin olcTLSRandFile olcTLSVerifyClient
      olcToolThreads olcWriteTimeout olcLimits olcSchemaDN
      """;

  private static final String OLC_DATABASE =
      """
      olcAccess olcAddContentAcl olcDbCheckpoint olcDbDirectory olcDbEnvFlags olcDbIndex
      olcDbMaxEntrySize olcDbMaxReaders olcDbMaxSize olcDbMode olcDbMultival olcDbNoSync
      olcDbRtxnSize olcDbSearchStack olcExtraAttrs olcHidden olcLastBind olcLastMod olcLimits
      olcMaxDerefDepth olcMirrorMode olcMonitoring olcMultiProvider olcPlugin olcReadOnly olcReplica
      olcReplicaArgsFile olcReplicaPidFile olcReplicationInterval olcReplogFile olcRequires
      olcRestrict olcRootDN olcRootPW olcSchemaDN olcSecurity olcSizeLimit olcSubordinate
      olcSyncrepl olcSyncUseSubentry olcTimeLimit olcUpdateDN olcUpdateRef
      """;

  private static final Map<String, String> OLC_OVERLAYS =
      Map.of(
          "auditlog", "olcAuditlogFile",
          "dds",
              "olcDDSdefaultTtl olcDDSinterval olcDDSmaxDynamicObjects olcDDSmaxTtl olcDDSminTtl"
                  + " olcDDSstate olcDDStolerance",
          "lastbind", "olcLastBindForwardUpdates olcLastBindPrecision",
          "memberof",
              "olcMemberOfAddCheck olcMemberOfDN olcMemberOfDangling olcMemberOfDanglingError olcMemberOfGroupOC"
                  + " olcMemberOfMemberAD olcMemberOfMemberOfAD olcMemberOfRefInt",
          "ppolicy",
              "olcPPolicyCheckModule olcPPolicyDefault olcPPolicyDisableWrite olcPPolicyForwardUpdates"
                  + " olcPPolicyHashCleartext olcPPolicySendNetscapeControls olcPPolicyUseLockout",
          "refint", "olcRefintAttribute olcRefintModifiersName olcRefintNothing",
          "unique",
              "olcUniqueAttribute olcUniqueBase olcUniqueIgnore olcUniqueStrict olcUniqueURI");

  /** Those that are lost, or built in, as a whole. */
  private static final List<String> OTHER_OVERLAYS =
      List.of(
          ("accesslog allowed autogroup chain collect constraint deref dyngroup dynlist homedir"
                  + " nestgroup nssov otp pbind pcache remoteauth retcode rwm seqmod smbk5pwd sock"
                  + " sssvlv syncprov totp translucent valsort")
              .split(" "));

  @TempDir Path folder;

  private final List<String> lines = new ArrayList<>();
  private final Set<Integer> asked = new HashSet<>();

  private static String value(String name, String off) {
    String small = name.toLowerCase(Locale.ROOT);
    return small.endsWith("access") ? "to * by * read" : off;
  }

  private void add(String names, String between, String value) {
    for (String name : names.strip().split("\\s+", -1)) {
      lines.add(name + between + value(name, value));
      asked.add(lines.size());
    }
  }

  private List<String> lost(String file) throws IOException, InvalidSlapdFileException {
    Path path = Files.write(folder.resolve(file), lines);
    Migration migration =
        Migration.of(path, Set.of(), Placement.DEFAULT, new Installation(Optional.empty()));
    Set<Integer> said = new HashSet<>();
    migration.notes().forEach(note -> said.add(note.source().line()));
    assertThat(migration.notes()).noneMatch(note -> note.toString().contains("not known here"));
    migration.rules().unsaid().forEach(each -> said.add(each.source().line()));
    migration
        .rules()
        .text()
        .lines()
        .filter(line -> line.startsWith("# " + file + ':'))
        .forEach(line -> said.add(Integer.valueOf(line.split(":", 3)[1])));
    return asked.stream()
        .filter(line -> !said.contains(line))
        .map(at -> lines.get(at - 1))
        .toList();
  }

  @Test
  void shouldRemarkUponAllOfSlapdConf() throws Exception {
    for (String value : List.of("x", "off", "on", "7")) {
      lines.clear();
      asked.clear();
      lines.add("database frontend");
      add(SERVER, " ", value);
      lines.add("database mdb");
      lines.add("suffix dc=example,dc=com");
      add(DATABASE, " ", value);
      OVERLAYS.forEach(
          (overlay, names) -> {
            lines.add("overlay " + overlay);
            add(names, " ", value);
          });
      OTHER_OVERLAYS.forEach(overlay -> add("overlay", " ", overlay));

      assertThat(lost("slapd.conf")).isEmpty();
    }
  }

  @Test
  void shouldRemarkUponAllOfCnConfig() throws Exception {
    for (String value : List.of("x", "FALSE", "TRUE", "7")) {
      lines.clear();
      asked.clear();
      lines.add("dn: cn=config");
      add(OLC_GLOBAL, ": ", value);
      lines.addAll(List.of("", "dn: olcDatabase={1}mdb,cn=config", "olcDatabase: {1}mdb"));
      lines.add("olcSuffix: dc=example,dc=com");
      add(OLC_DATABASE, ": ", value);
      OLC_OVERLAYS.forEach(
          (overlay, names) -> {
            lines.add("");
            lines.add("dn: olcOverlay={0}" + overlay + ",olcDatabase={1}mdb,cn=config");
            add(names, ": ", value);
          });
      for (String overlay : OTHER_OVERLAYS) {
        lines.add("");
        add("dn", ": ", "olcOverlay={0}" + overlay + ",olcDatabase={1}mdb,cn=config");
        lines.add("olcOverlay: " + overlay);
      }

      assertThat(lost("config.ldif")).isEmpty();
    }
  }
}
