package org.nyala.migrate;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.migrate.MigrationNote.Kind;

/**
 * The directives and overlays that no key stands for: those that need none, and for the others the
 * meaning of their loss. Stateless.
 */
final class Counterparts {
  private static final Set<String> NEEDLESS =
      Set.of(
          ("argsfile pidfile modulepath moduleload directory concurrency threads toolthreads"
                  + " listenerthreads threadqueues tcpbuffer sortvals gentlehup replogfile"
                  + " passwordcryptsaltformat schemadn maxsize maxreaders mode searchstack rtxnsize"
                  + " idlexp checkpoint nosync envflags multival cachesize dbconfig monitoring"
                  + " addcontentacl connmaxpendingauth syncusesubentry"
                  + " indexsubstrifminlen indexsubstrifmaxlen indexsubstranylen indexsubstranystep"
                  + " indexintlen indexhash64 saslauxprops saslcbinding tlsrandfile configfile"
                  + " configdir database overlay"
                  + " reverselookup tlsecname tlsdhparamfile logfile auditlog auditlogfile backend"
                  + " bkmdbidlexp pluginlog pluginlogfile saslauxpropsdontusecopy"
                  + " saslauxpropsdontusecopyignore ddsstate memberofdn memberofgroupoc"
                  + " memberofmemberofad memberofdangling memberofrefint ppolicyhashcleartext"
                  + " ppolicyuselockout")
              .split(" "));

  private static final Map<String, String> MISSING = new HashMap<>();

  private static final Set<String> NEEDLESS_OVERLAYS = Set.of("syncprov", "sssvlv", "deref");

  private static final Map<String, String> OVERLAYS = new HashMap<>();

  static {
    MISSING.put("referral", "names outside of all suffixes are answered noSuchObject (32)");
    MISSING.put("defaultsearchbase", "a search with an empty base is one of the root DSE");
    MISSING.put("rootdse", "the root DSE has no attributes of your own");
    MISSING.put("authzpolicy", "authzTo and authzFrom are not asked: write rules with proxy");
    MISSING.put("authidrewrite", "write rules of sasl.map");
    MISSING.put(
        "saslsecprops", "see sasl.mechanisms, sasl.gssapi.layers and sasl.gssapi.bufferBytes");
    MISSING.put("restrict", "operations are not refused: take the rights away in access.rules");
    MISSING.put("hidden", "its entries can be found: take the rights away in access.rules");
    MISSING.put(
        "subordinate", "its entries are found only by searches below its own suffix, not above it");
    MISSING.put("extraattrs", "only attributes that are requested are returned");
    MISSING.put("updatedn", "a copy names its provider in replication.provider");
    MISSING.put(
        "updateref", "a copy refers changes to replication.provider, or replication.referTo");
    MISSING.put(
        "multiprovider",
        "one server accepts changes at a time: let the other one follow it (replication)");
    MISSING.put("lastmod", "creatorsName, modifyTimestamp and others are always kept");
    MISSING.put("memberofdanglingerror", "groups may name members that do not exist");
    MISSING.put("ddstolerance", "entries expire when their time is over");
    MISSING.put("lastbindforwardupdates", "every server keeps pwdLastSuccess of its own logins");
    MISSING.put("tlscertificate", "write it to the file of tls.certificate");
    MISSING.put("tlscertificatekey", "write it to the file of tls.key");
    MISSING.put("tlscacertificate", "write it to the file of tls.clientCa");
    MISSING.put("plugin", "no plug-ins are loaded");
    MISSING.put("maxentrysize", "entries are bounded by limits.entryRecordBytes, 32 MiB");
    OVERLAYS.put(
        "accesslog",
        "its database is not moved; consumers of deltas find modificationLog, people log.audit");
    OVERLAYS.put("valsort", "values come in no order");
    OVERLAYS.put(
        "constraint",
        "values are checked by the schema alone: wrong ones are accepted from now on");
    OVERLAYS.put(
        "dynlist",
        "groups whose members are a search (memberURL) have no members, and memberOf none");
    OVERLAYS.put("dyngroup", "groups whose members are a search (memberURL) have no members");
    OVERLAYS.put(
        "autogroup", "members that a search (memberURL) finds are no longer kept up to date");
    OVERLAYS.put("nestgroup", "see memberOf.nested for members of groups in groups");
    OVERLAYS.put("collect", "collective attributes are not shown in entries");
    OVERLAYS.put(
        "rwm", "names and attributes are not rewritten: clients see those that are stored");
    OVERLAYS.put("pcache", "no answers of other servers are kept");
    OVERLAYS.put("translucent", "no entries of another server are shown with changes");
    OVERLAYS.put("chain", "clients get referrals, and follow them themselves");
    OVERLAYS.put("pbind", "binds are not passed on to another server: passwords have to be here");
    OVERLAYS.put(
        "remoteauth", "binds are not passed on to another server: passwords have to be here");
    OVERLAYS.put("otp", "no one-time passwords: logins with one fail");
    OVERLAYS.put("totp", "no one-time passwords: logins with one fail");
    OVERLAYS.put("smbk5pwd", "keys of Samba and Kerberos do not follow a new userPassword");
    OVERLAYS.put("nssov", "no answers to nslcd's protocol");
    OVERLAYS.put("homedir", "no home directories are made");
    OVERLAYS.put("retcode", "no results are made up for tests");
    OVERLAYS.put("seqmod", "changes are one after the other in any case");
    OVERLAYS.put("allowed", "see the control for effective rights");
    OVERLAYS.put("noopsrch", "no count of the entries that a search would find");
  }

  private Counterparts() {}

  /** Notes a directive that nothing has translated. */
  static void note(Translation translation, SlapdDirective directive) {
    String meaning = MISSING.get(directive.name());
    if (isDefault(directive)) {
      translation.note(Kind.NEEDLESS, directive, "slapd's default");
    } else if (meaning != null) {
      translation.note(Kind.MISSING, directive, meaning);
    } else if (NEEDLESS.contains(directive.name())) {
      translation.note(Kind.NEEDLESS, directive, "needs no counterpart");
    } else {
      translation.note(
          Kind.MISSING,
          directive,
          "not known here: look up in slapd's manual what is lost with it");
    }
  }

  /* cn=config has them even if nobody has set them. */
  private static boolean isDefault(SlapdDirective directive) {
    String value = directive.value().toLowerCase(Locale.ROOT);
    return switch (directive.name()) {
      case "authzpolicy" -> value.equals("none");
      case "saslsecprops" -> value.equals("noplain,noanonymous");
      case "maxentrysize" -> value.equals("0");
      case "lastmod" -> directive.isOn();
      case "hidden", "multiprovider", "monitoring" -> directive.isOff();
      default -> directive.name().startsWith("saslauxprops");
    };
  }

  /** Returns whether an overlay is built in, so that no key stands for it. */
  static boolean isBuiltIn(String overlay) {
    return NEEDLESS_OVERLAYS.contains(overlay);
  }

  /** Returns what the loss of an overlay means. */
  static String lossOf(String overlay) {
    return OVERLAYS.getOrDefault(
        overlay, "not known here: look up in slapd's manual what is lost with it");
  }
}
