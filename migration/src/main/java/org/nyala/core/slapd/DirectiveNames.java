package org.nyala.core.slapd;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The names of directives in one spelling for slapd.conf(5) and slapd-config(5): small letters and
 * digits, such as {@code sizelimit} for {@code sizelimit} and {@code olcSizeLimit}, {@code
 * refintattributes} for {@code refint_attributes} and {@code olcRefintAttribute}.
 */
final class DirectiveNames {
  private static final String ATTRIBUTE = "olc";
  private static final String OF_STORE = "db";

  /** Names that differ by more than capitals, hyphens and underscores. */
  private static final Map<String, String> SAME =
      Map.ofEntries(
          Map.entry("allows", "allow"),
          Map.entry("disallows", "disallow"),
          Map.entry("requires", "require"),
          Map.entry("attributetypes", "attributetype"),
          Map.entry("attribute", "attributetype"),
          Map.entry("objectclasses", "objectclass"),
          Map.entry("ldapsyntaxes", "ldapsyntax"),
          Map.entry("ditcontentrules", "ditcontentrule"),
          Map.entry("refintattribute", "refintattributes"),
          Map.entry("uniqueattribute", "uniqueattributes"),
          Map.entry("spcheckpoint", "syncprovcheckpoint"),
          Map.entry("spsessionlog", "syncprovsessionlog"),
          Map.entry("spnopresent", "syncprovnopresent"),
          Map.entry("spreloadhint", "syncprovreloadhint"),
          Map.entry("saslregexp", "authzregexp"),
          Map.entry("mirrormode", "multiprovider"),
          Map.entry("multimaster", "multiprovider"),
          Map.entry("dbnosync", "nosync"));

  /** The sections with names that begin as those of their overlays do not. */
  private static final Map<String, String> OVERLAY_PREFIXES =
      Map.of("accesslog", "log", "sssvlv", "sssvlv", "syncprov", "syncprov");

  /** The directives of databases and of the global section, as opposed to those of overlays. */
  private static final Set<String> COMMON =
      Set.of(
          ("access addcontentacl allow argsfile attributeoptions attributetype authidrewrite"
                  + " authzpolicy authzregexp checkpoint concurrency connmaxpending connmaxpendingauth"
                  + " defaultsearchbase directory disallow ditcontentrule envflags extraattrs"
                  + " gentlehup hidden idlexp idletimeout index lastbind lastbindprecision lastmod"
                  + " ldapsyntax limits listenerthreads localssf logfile loglevel maxderefdepth"
                  + " maxentrysize maxfilterdepth maxreaders maxsize mode moduleload modulepath"
                  + " monitoring multiprovider multival nosync objectclass objectidentifier"
                  + " passwordcryptsaltformat passwordhash pidfile readonly referral replogfile"
                  + " require restrict reverselookup rootdn rootdse rootpw rtxnsize schemadn"
                  + " searchstack security serverid sizelimit sockbufmaxincoming"
                  + " sockbufmaxincomingauth sortvals subordinate suffix syncrepl syncusesubentry"
                  + " tcpbuffer threadqueues threads timelimit toolthreads updatedn updateref"
                  + " writetimeout cachefree cachesize checksum cryptfile cryptkey dbconfig dbpagesize"
                  + " dirtyread dncachesize idlcachesize linearindex lockdetect shmkey")
              .split(" "));

  /** The directives that slapd takes for the whole server, wherever they stand in slapd.conf. */
  private static final Set<String> OF_SERVER =
      Set.of(
          ("allow argsfile attributeoptions authidrewrite authzpolicy authzregexp concurrency"
                  + " connmaxpending connmaxpendingauth defaultsearchbase disallow gentlehup"
                  + " idletimeout indexsubstrifminlen indexsubstrifmaxlen indexsubstranylen"
                  + " indexsubstranystep indexintlen indexhash64 listenerthreads localssf logfile"
                  + " loglevel maxfilterdepth moduleload modulepath passwordcryptsaltformat"
                  + " passwordhash pidfile pluginlog referral reverselookup rootdse serverid"
                  + " sockbufmaxincoming sockbufmaxincomingauth sortvals tcpbuffer threadqueues"
                  + " threads toolthreads writetimeout")
              .split(" "));

  private DirectiveNames() {}

  /** Returns the spelling of a name in slapd.conf. */
  static String ofDirective(String name) {
    String plain = plain(name);
    return SAME.getOrDefault(plain, plain);
  }

  /** Returns the spelling of an attribute of {@code cn=config}. */
  static String ofAttribute(String name) {
    int options = name.indexOf(';');
    String plain = plain(options < 0 ? name : name.substring(0, options));
    if (plain.startsWith(ATTRIBUTE)) {
      plain = plain.substring(ATTRIBUTE.length());
    }
    if (plain.startsWith(OF_STORE)) {
      plain = plain.substring(OF_STORE.length());
    }
    return SAME.getOrDefault(plain, plain);
  }

  /** Returns whether an attribute of {@code cn=config} is a directive. */
  static boolean isDirective(String attribute) {
    return attribute.regionMatches(true, 0, ATTRIBUTE, 0, ATTRIBUTE.length());
  }

  /** Returns whether a directive is one of the whole server, wherever it stands in slapd.conf. */
  static boolean isOfServer(String name) {
    boolean isTls = name.startsWith("tls") && !name.equals("tls");
    return isTls || name.startsWith("sasl") || OF_SERVER.contains(name);
  }

  /** Returns whether a directive behind the line of an overlay is one of that overlay. */
  static boolean isOfOverlay(String overlay, String name) {
    boolean isCommon =
        COMMON.contains(name)
            || name.startsWith("index")
            || name.startsWith("sasl")
            || name.startsWith("tls");
    return !isCommon || name.startsWith(OVERLAY_PREFIXES.getOrDefault(overlay, overlay));
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }
}
