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
import org.nyala.server.ConfigurationCheck;

/** Tests that no directive of slapd's manual pages is lost without a remark, in both forms. */
class EveryDirectiveTest {
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
          "constraint", "olcConstraintAttribute",
          "dds",
              "olcDDSdefaultTtl olcDDSinterval olcDDSmaxDynamicObjects olcDDSmaxTtl olcDDSminTtl"
                  + " olcDDSstate olcDDStolerance",
          "lastbind", "olcLastBindForwardUpdates olcLastBindPrecision",
          "memberof",
              "olcMemberOfAddCheck olcMemberOfDN olcMemberOfDangling olcMemberOfDanglingError"
                  + " olcMemberOfGroupOC olcMemberOfMemberAD olcMemberOfMemberOfAD"
                  + " olcMemberOfRefInt",
          "ppolicy",
              "olcPPolicyCheckModule olcPPolicyDefault olcPPolicyDisableWrite"
                  + " olcPPolicyForwardUpdates olcPPolicyHashCleartext"
                  + " olcPPolicySendNetscapeControls olcPPolicyUseLockout",
          "refint", "olcRefintAttribute olcRefintModifiersName olcRefintNothing",
          "unique",
              "olcUniqueAttribute olcUniqueBase olcUniqueIgnore olcUniqueStrict olcUniqueURI");

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
        Migration.of(
            path,
            Set.of(),
            Placement.DEFAULT,
            new Installation(Optional.empty()),
            ConfigurationCheck::run);
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
      add(EveryDirective.SERVER, " ", value);
      lines.add("database mdb");
      lines.add("suffix dc=example,dc=com");
      add(EveryDirective.DATABASE, " ", value);
      EveryDirective.OVERLAYS.forEach(
          (overlay, names) -> {
            lines.add("overlay " + overlay);
            add(names, " ", value);
          });
      EveryDirective.OTHER_OVERLAYS.forEach(overlay -> add("overlay", " ", overlay));

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
      for (String overlay : EveryDirective.OTHER_OVERLAYS) {
        lines.add("");
        add("dn", ": ", "olcOverlay={0}" + overlay + ",olcDatabase={1}mdb,cn=config");
        lines.add("olcOverlay: " + overlay);
      }

      assertThat(lost("config.ldif")).isEmpty();
    }
  }
}
