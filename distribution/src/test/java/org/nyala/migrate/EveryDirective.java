package org.nyala.migrate;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The directives and overlays of slapd's manual pages. */
public final class EveryDirective {
  /** Those of slapd.conf(5) for the whole server. */
  static final String SERVER =
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
  static final String DATABASE =
      """
      access add_content_acl checkpoint dbnosync directory envflags extra_attrs hidden idlexp index
      lastbind lastbind-precision lastmod limits maxderefdepth maxentrysize maxreaders maxsize
      mirrormode mode monitoring multival multiprovider readonly require restrict rootdn rootpw
      rtxnsize schemadn searchstack security sizelimit subordinate sync_use_subentry syncrepl
      timelimit updatedn updateref loglevel disallow TLSCipherSuite
      """;

  /** Those of the overlays that are translated, which have no remark as a whole for all of them. */
  static final Map<String, String> OVERLAYS =
      Map.of(
          "auditlog", "auditlog",
          "constraint", "constraint_attribute",
          "dds",
              "dds-default-ttl dds-interval dds-max-dynamicObjects dds-max-ttl dds-min-ttl"
                  + " dds-state dds-tolerance",
          "lastbind", "lastbind-precision lastbind_forward_updates",
          "memberof",
              "memberof-addcheck memberof-dangling memberof-dangling-error memberof-dn"
                  + " memberof-group-oc memberof-member-ad memberof-memberof-ad memberof-refint",
          "ppolicy",
              "ppolicy_check_module ppolicy_default ppolicy_disable_write ppolicy_forward_updates"
                  + " ppolicy_hash_cleartext ppolicy_send_netscape_controls ppolicy_use_lockout",
          "refint", "refint_attributes refint_modifiersname refint_nothing",
          "unique", "unique_attributes unique_base unique_ignore unique_strict unique_uri");

  /** Those that are lost, or built in, as a whole. */
  static final List<String> OTHER_OVERLAYS =
      List.of(
          ("accesslog allowed autogroup chain collect deref dyngroup dynlist homedir"
                  + " nestgroup nssov otp pbind pcache remoteauth retcode rwm seqmod smbk5pwd sock"
                  + " sssvlv syncprov totp translucent valsort")
              .split(" "));

  private EveryDirective() {}

  /** Returns the names of all directives of slapd.conf(5), slapd-mdb(5) and the overlays. */
  public static Set<String> names() {
    Set<String> names = new HashSet<>();
    for (String text : List.of(SERVER, DATABASE, String.join(" ", OVERLAYS.values()))) {
      names.addAll(List.of(text.strip().split("\\s+", -1)));
    }
    return names;
  }

  /** Returns the names of all overlays. */
  public static Set<String> overlays() {
    Set<String> names = new HashSet<>(OVERLAYS.keySet());
    names.addAll(OTHER_OVERLAYS);
    return names;
  }
}
