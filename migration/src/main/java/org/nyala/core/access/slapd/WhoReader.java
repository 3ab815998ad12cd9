package org.nyala.core.access.slapd;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.Condition.Protection;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.Network;
import org.nyala.core.access.rule.Origin;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;

/**
 * Reads the clients that a clause of slapd is for.
 *
 * <p>Confined to one thread.
 */
final class WhoReader {
  private static final String REAL = "real";
  private static final String EVERYBODY = ".*";
  private static final String LOCAL_URL = "ldapi://";

  private final Wording wording;
  private final What what;
  private final SubjectsBuilder subjects;

  /**
   * Starts a clause.
   *
   * @param what the target of the rule
   */
  WhoReader(Wording wording, What what) {
    this.wording = wording;
    this.what = what;
    this.subjects = new SubjectsBuilder(wording, what.target());
  }

  /** Reads words up to one that is not about the client. */
  SubjectsBuilder read(WordCursor words) {
    while (words.hasNext() && part(WhoWord.of(words.peek()))) {
      words.next();
    }
    return subjects;
  }

  private boolean part(WhoWord word) {
    switch (word.name()) {
      case "*" -> {
        // Everybody.
      }
      case "anonymous" -> subjects.exactly(word.word(), Plain.ANONYMOUS);
      case "users" -> subjects.exactly(word.word(), Plain.USERS);
      case "self" -> self(word);
      case "dn" -> name(word);
      case "dnattr" -> listed(word);
      case "peername" -> peer(word);
      case "ssf" -> over(word, Protection.ANY);
      case "tls_ssf" -> over(word, Protection.TLS);
      case "sasl_ssf" -> over(word, Protection.SASL);
      case "transport_ssf" -> over(word, Protection.TRANSPORT);
      case "set" -> set(word);
      case "sockurl" -> local(word, LOCAL_URL);
      case "sockname" -> local(word, "PATH=");
      case "domain" -> subjects.nothing(word.word(), "names of hosts are not looked up");
      case "aci", "dynacl" -> subjects.nothing(word.word(), "rules of modules are not known");
      case "realanonymous", "realusers", "realself", "realdn", "realdnattr" ->
          subjects.nothing(
              word.word(), "a user who acts as another has the rights of the other alone");
      default -> {
        boolean isGroup = word.name().startsWith("group");
        if (isGroup) {
          group(word);
        }
        return isGroup;
      }
    }
    return true;
  }

  private void self(WhoWord word) {
    Integer level = word.level();
    if (word.style().equals(WhoWord.BASE) || level != null && level == 0) {
      subjects.exactly(word.word(), Plain.SELF);
    } else if (level == null) {
      unknownStyle(word);
    } else {
      subjects.exactly(
          word.word(),
          level > 0 ? new Condition.Descendant(level) : new Condition.Ancestor(-level));
    }
  }

  private void unknownStyle(WhoWord word) {
    subjects.nothing(word.word(), "slapd has no such style");
  }

  private void name(WhoWord word) {
    if (word.style().equals("regex")) {
      expression(word);
      return;
    }
    if (word.isExpanded() && isWholeName(word)) {
      subjects.exactly(word.word(), Plain.SELF);
      return;
    }
    DnPattern name = pattern(word);
    if (name == null || name.dn().rdnCount() == 0) {
      subjects.nothing(word.word(), DnPattern.NOT_WRITTEN);
      return;
    }
    switch (word.style()) {
      case WhoWord.BASE -> named(word, Scope.ENTRY, name);
      case "one" -> named(word, Scope.DIRECTLY_BELOW, name);
      case "subtree" -> named(word, Scope.SUBTREE, name);
      case "children" -> named(word, Scope.BELOW, name);
      case "level" -> level(word, name);
      default -> unknownStyle(word);
    }
  }

  /* True for $0, and for all parts of the target's name together. */
  private boolean isWholeName(WhoWord word) {
    if (!what.captures().isWholeName() || !word.style().equals(WhoWord.BASE)) {
      return false;
    }
    String after = what.captures().afterStart(word.text());
    String names = after == null ? null : what.captures().expanded(after);
    return word.text().matches("\\$(0|\\{d?0})")
        || names != null && what.target().place().name().equals(wording.pattern(names));
  }

  /** Returns the name that a word has after its equals sign, or null. */
  private @Nullable DnPattern pattern(WhoWord word) {
    if (!word.isExpanded()) {
      Dn name = wording.name(word.text());
      return name == null ? null : DnPattern.of(name);
    }
    String expanded = what.captures().expanded(word.text());
    return expanded == null ? null : wording.pattern(expanded);
  }

  private void named(WhoWord word, Scope scope, DnPattern name) {
    subjects.exactly(word.word(), new Condition.Named(new Place(scope, name)));
  }

  private void level(WhoWord word, DnPattern name) {
    int level = word.level() == null ? -1 : word.level();
    if (level == 0) {
      subjects.nobody();
    } else if (level == 1) {
      named(word, Scope.DIRECTLY_BELOW, name);
    } else if (level < 0) {
      unknownStyle(word);
    } else {
      subjects.atLeast(
          word.word(),
          new Condition.Named(new Place(Scope.BELOW, name)),
          "a number of levels below a name cannot be said");
    }
  }

  private void expression(WhoWord word) {
    if (EVERYBODY.equals(word.text().replaceAll("^\\^|\\${1,2}$", ""))) {
      return;
    }
    UserPattern users = NameExpression.ofClause(wording, word.text(), what.captures());
    Place narrow = users.narrow();
    if (narrow != null && users.isExact()) {
      subjects.exactly(word.word(), new Condition.Named(narrow));
    } else {
      subjects.between(word.word(), users);
    }
  }

  private void listed(WhoWord word) {
    AttributeType type = wording.schema().attributeType(word.text());
    if (type == null) {
      subjects.nothing(word.word(), "the schema has no such attribute");
    } else {
      subjects.listedIn(word.word(), new Condition.ListedIn(type));
    }
  }

  private void group(WhoWord word) {
    String[] parts = word.key().split("/", -1);
    String className = parts.length > 1 && !parts[1].isEmpty() ? parts[1] : "groupOfNames";
    String member = parts.length > 2 && !parts[2].isEmpty() ? parts[2] : "member";
    ObjectClass objectClass = wording.schema().objectClass(className);
    AttributeType type = wording.schema().attributeType(member);
    boolean isExpanded = word.style().equals("expand") || word.style().equals("regex");
    if (!isExpanded && !word.style().equals(WhoWord.BASE)) {
      unknownStyle(word);
      return;
    }
    DnPattern name =
        pattern(new WhoWord(word.word(), word.key(), WhoWord.BASE, null, isExpanded, word.value()));
    if (objectClass == null || type == null || name == null || name.dn().rdnCount() == 0) {
      subjects.nothing(word.word(), "a name, class or attribute that cannot be written");
      return;
    }
    Condition condition = new Condition.InGroup(new Group(name, false, objectClass, type));
    if (wording.hasSubtypes(type) || wording.hasSubclasses(objectClass)) {
      subjects.atLeast(word.word(), condition, "subtypes and subclasses would count as well");
    } else {
      subjects.exactly(word.word(), condition);
    }
  }

  private void peer(WhoWord word) {
    PeerName peer = PeerName.of(word);
    Origin origin = peer.origin();
    if (origin != null) {
      subjects.exactly(word.word(), new Condition.From(origin));
    } else if (peer.isNobody()) {
      subjects.nobody();
    } else {
      subjects.nothing(word.word(), "not a network in which all addresses begin alike");
    }
  }

  /* The local socket, whose path and URL say the same. */
  private void local(WhoWord word, String start) {
    boolean isLocal = word.style().equals(WhoWord.BASE) && word.text().startsWith(start);
    if (isLocal) {
      subjects.exactly(word.word(), new Condition.From(Origin.LocalSocket.LDAPI));
    } else {
      subjects.nothing(word.word(), "the server's own address is not asked for");
    }
  }

  private void over(WhoWord word, Protection kind) {
    String bits = word.text();
    if (bits.matches("[0-9]{1,6}")) {
      subjects.exactly(word.word(), new Condition.Over(kind, Integer.parseInt(bits)));
    } else {
      subjects.nothing(word.word(), "not a number of bits");
    }
  }

  private void set(WhoWord word) {
    Condition condition =
        word.style().equals(WhoWord.BASE) ? SetExpression.read(wording, word.text()) : null;
    if (condition == null) {
      subjects.nothing(word.word(), "a set other than of the members of a group");
    } else {
      subjects.exactly(word.word(), condition);
    }
  }

  /** Returns whether a word begins with {@code real}: slapd takes it off words of access, too. */
  static String withoutReal(String word) {
    boolean isReal = word.regionMatches(true, 0, REAL, 0, REAL.length());
    return isReal ? word.substring(REAL.length()) : word;
  }

  /**
   * The clients that a condition of slapd about their address means.
   *
   * <p>Immutable.
   *
   * @param origin the network or local socket that is meant; null if there is none
   * @param isNobody whether no client has such an address
   */
  private record PeerName(@Nullable Origin origin, boolean isNobody) {
    private static final PeerName UNSAID = new PeerName(null, false);
    private static final PeerName NOBODY = new PeerName(null, true);

    /** An expression for addresses that begin with some octets. */
    private static final Pattern OCTETS =
        Pattern.compile("\\^?IP=((?:[0-9]{1,3}\\\\\\.){1,3})(?:\\.[*+]\\${0,2})?");

    /** An expression for one address and any port. */
    private static final Pattern ADDRESS =
        Pattern.compile("\\^?IP=((?:[0-9]{1,3}\\\\\\.){3}[0-9]{1,3}):(?:\\.[*+]\\${0,2})?");

    /** Returns the clients that a word means. */
    static PeerName of(WhoWord word) {
      return switch (word.style()) {
        case "path" -> new PeerName(Origin.LocalSocket.LDAPI, false);
        case "ip", "ipv6" -> network(word.text(), word.style().equals("ip"));
        case "regex" -> expression(word.text());
        default -> UNSAID;
      };
    }

    private static PeerName network(String text, boolean isOfVersion4) {
      int percent = text.indexOf('%');
      String address = percent < 0 ? text : text.substring(0, percent);
      try {
        Network one = Network.parse(address);
        byte[] octets = one.address().getAddress();
        if (octets.length == 4 != isOfVersion4 || address.contains("/")) {
          return UNSAID;
        }
        if (percent < 0) {
          return new PeerName(one, false);
        }
        Network mask = Network.parse(text.substring(percent + 1));
        return masked(octets, mask.address().getAddress());
      } catch (IllegalArgumentException _) {
        return UNSAID;
      }
    }

    /* An address with bits behind the mask is never found. */
    private static PeerName masked(byte[] octets, byte[] mask) {
      if (octets.length != mask.length) {
        return UNSAID;
      }
      int bits = 0;
      boolean isOver = false;
      for (int bit = 0; bit < octets.length * Byte.SIZE; bit++) {
        boolean counts = isSet(mask, bit);
        if (counts && isOver) {
          return UNSAID;
        }
        isOver = !counts;
        bits += counts ? 1 : 0;
      }
      for (int bit = bits; bit < octets.length * Byte.SIZE; bit++) {
        if (isSet(octets, bit)) {
          return NOBODY;
        }
      }
      try {
        String address = InetAddress.getByAddress(octets).getHostAddress();
        return new PeerName(Network.parse(address + '/' + bits), false);
      } catch (UnknownHostException e) {
        throw new IllegalStateException(e);
      }
    }

    private static boolean isSet(byte[] octets, int bit) {
      return (octets[bit / Byte.SIZE] & 0x80 >> bit % Byte.SIZE) != 0;
    }

    private static PeerName expression(String text) {
      Matcher octets = OCTETS.matcher(text);
      Matcher address = ADDRESS.matcher(text);
      StringBuilder network = new StringBuilder();
      int given = 4;
      if (address.matches()) {
        network.append(address.group(1).replace("\\.", "."));
      } else if (octets.matches()) {
        String first = octets.group(1).replace("\\.", ".");
        given = (int) first.chars().filter(c -> c == '.').count();
        network.append(first).append("0.".repeat(4 - given)).setLength(network.length() - 1);
      } else {
        return UNSAID;
      }
      try {
        return new PeerName(Network.parse(network.toString() + '/' + given * Byte.SIZE), false);
      } catch (IllegalArgumentException _) {
        return UNSAID;
      }
    }
  }

  /** Reads the sets of slapd that ask for the members of one group, or for a list in the entry. */
  private static final class SetExpression {
    private static final String NAMES = "1.3.6.1.4.1.1466.115.121.1.12";
    private static final Pattern GROUP = Pattern.compile("\\[([^\\[\\]]+)]/([A-Za-z0-9-]+)(\\*?)");
    private static final Pattern LISTED = Pattern.compile("this/([A-Za-z0-9-]+)");
    private static final Pattern WITH_USER = Pattern.compile("(.+?) *& *user|user *& *(.+)");

    private SetExpression() {}

    static @Nullable Condition read(Wording wording, String text) {
      Matcher both = WITH_USER.matcher(text.strip());
      if (!both.matches()) {
        return null;
      }
      String other = both.group(1) == null ? both.group(2) : both.group(1);
      if (other.equals("this")) {
        return Plain.SELF;
      }
      Matcher listed = LISTED.matcher(other);
      if (listed.matches()) {
        AttributeType type = names(wording, listed.group(1));
        return type == null ? null : new Condition.ListedIn(type);
      }
      Matcher group = GROUP.matcher(other);
      return group.matches() ? group(wording, group) : null;
    }

    private static @Nullable Condition group(Wording wording, Matcher group) {
      Dn name = wording.name(group.group(1));
      AttributeType type = names(wording, group.group(2));
      if (name == null || name.rdnCount() == 0 || type == null) {
        return null;
      }
      boolean isNested = !group.group(3).isEmpty();
      return new Condition.InGroup(new Group(DnPattern.of(name), isNested, null, type));
    }

    /* Sets compare values as they are, and know no subtypes. */
    private static @Nullable AttributeType names(Wording wording, String name) {
      AttributeType type = wording.schema().attributeType(name);
      if (type == null || !type.syntax().oid().equals(NAMES)) {
        return null;
      }
      return wording.hasSubtypes(type) ? null : type;
    }
  }
}
