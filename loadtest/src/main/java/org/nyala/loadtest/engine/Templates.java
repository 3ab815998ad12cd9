package org.nyala.loadtest.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Controls;
import org.nyala.loadtest.ldap.Filters;
import org.nyala.loadtest.ldap.PatternRequest;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Placeholder;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.ldap.RequestList;
import org.nyala.loadtest.ldap.RequestTemplate;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Patterns;
import org.nyala.loadtest.workload.PeopleLogin;
import org.nyala.loadtest.workload.Synchronization;
import org.nyala.loadtest.workload.Targets;
import org.nyala.loadtest.workload.TextPattern;
import org.nyala.loadtest.workload.UserPassword;

/**
 * The requests of a test, encoded once. Immutable.
 *
 * @param base reads the entry of a user
 * @param findsOne true if a search must find exactly one entry; the result of a user-defined filter
 *     is unknown
 * @param compare compares a user's value with the actual one
 * @param addDynamic adds the dynamic entry of a client
 * @param refresh asks for a longer life of the dynamic entry
 * @param deleteDynamic deletes the dynamic entry
 * @param bind binds as a user, simply
 * @param personBind binds as a user in the way of {@link PeopleLogin}, unless that is SCRAM
 * @param setPassword sets a user's password to another one, or to the same one
 * @param resetPassword sets it back
 * @param bindByNewPassword binds as a user, simply, with the other password
 * @param password the password of a user
 * @param emptyRead reads the root DSE without attributes
 * @param serviceBind binds the service identity, unless it does so by SCRAM
 * @param replace replaces a user's attribute by the stamp
 * @param replaced finds a user's entry if its attribute is the stamp
 * @param add adds an entry of a client; the stamp distinguishes it from the client's others
 * @param delete deletes the entry that was added
 * @param rename gives a user another RDN
 * @param renameBack gives a user the RDN back
 */
public record Templates(
    Request search,
    Request base,
    boolean findsOne,
    Request compare,
    Request addDynamic,
    Request refresh,
    Request deleteDynamic,
    Request bind,
    Request personBind,
    Request setPassword,
    Request resetPassword,
    Request bindByNewPassword,
    Placeholder password,
    Request scan,
    Request emptyRead,
    Request unbind,
    Request startTls,
    Request serviceBind,
    Request replace,
    Request replaced,
    Request add,
    Request delete,
    Request rename,
    Request renameBack) {
  /** The time to live of a dynamic entry after each refresh, in seconds. */
  static final int LIFE_SECONDS = 3600;

  /** Encodes the requests of a test. */
  public static Templates of(LoadSettings settings) {
    String people = settings.people().parent();
    String base = settings.people().base();
    Targets values = settings.options().values();
    Patterns patterns = settings.options().patterns();
    Users users =
        patterns == null ? new NumberedUsers(values, people) : new PatternUsers(patterns, values);
    String attribute = settings.options().attribute();
    PeopleLogin login = settings.options().login();
    String run = runName();
    String renamed = values.attribute() + "=renamed.";
    return new Templates(
        users.searches(base),
        users.reads(),
        patterns == null ? values.isPattern() : patterns.filter() == null,
        users.each(n -> Pdu.compare(users.dn(n), values.attribute(), users.value(n))),
        RequestTemplate.ofUser(n -> addedDynamic(run, n, people)),
        RequestTemplate.ofUser(n -> Pdu.refresh(dynamicName(run, n, people), LIFE_SECONDS)),
        RequestTemplate.ofUser(n -> Pdu.delete(dynamicName(run, n, people))),
        users.each(n -> PeopleLogin.SIMPLE.bind(users.dn(n), users.value(n), users.password(n))),
        users.each(n -> login.bind(users.dn(n), users.value(n), users.password(n))),
        users.each(n -> Pdu.passwordModify(users.dn(n), users.password(n), users.newPassword(n))),
        users.each(n -> Pdu.passwordModify(users.dn(n), users.newPassword(n), users.password(n))),
        users.each(n -> PeopleLogin.SIMPLE.bind(users.dn(n), users.value(n), users.newPassword(n))),
        password(patterns, values),
        RequestTemplate.constant(scan(base, settings.options().sync())),
        RequestTemplate.constant(Pdu.emptyRead()),
        RequestTemplate.constant(Pdu.unbind()),
        RequestTemplate.constant(Pdu.startTls()),
        RequestTemplate.constant(serviceBind(settings.account())),
        users.changes(attribute),
        users.stamped((n, stamp) -> Pdu.baseSearch(users.dn(n), attribute, stamp)),
        users.adds(
            new RequestTemplate((n, stamp) -> added(run, n, stamp, people)), Templates::added),
        users.adds(
            new RequestTemplate(
                (n, stamp) -> Pdu.delete("uid=" + ownUid(run, n, stamp) + "," + people)),
            (dn, _) -> Pdu.delete(dn)),
        users.each(n -> Pdu.rename(users.dn(n), renamed + n)),
        users.each(n -> Pdu.rename(renamed + n + users.parent(), users.rdn(n))));
  }

  private static Placeholder password(@Nullable Patterns patterns, Targets values) {
    if (patterns == null) {
      return UserPassword.placeholder(values.width());
    }
    TextPattern password = patterns.password();
    return password == null ? TextPattern.of("") : password;
  }

  private static byte[] added(String dn, List<byte[]> attributes) {
    return Pdu.add(dn, attributes.toArray(byte[][]::new));
  }

  /** An anonymous bind stands for those by SCRAM, which {@link ScramBind} makes. */
  private static byte[] serviceBind(Account account) {
    return (account.isScram() ? Account.ANONYMOUS : account).bind();
  }

  private static byte[] scan(String base, Synchronization sync) {
    return sync.isWanted()
        ? Pdu.controlledSearch(
            base,
            Pdu.anything(),
            new String[] {"*", "+"},
            Controls.sync(false, Pdu.utf8(sync.cookie())),
            Controls.manageDsaIt())
        : Pdu.scan(base);
  }

  /** The users that requests are about, each by a number in the text of a request. */
  private interface Users {
    Request searches(String base);

    Request reads();

    /** Returns a request about a user, whose number is a part of its text, and with a stamp. */
    Request stamped(BiFunction<String, String, byte[]> encoder);

    default Request each(Function<String, byte[]> encoder) {
      return stamped((user, _) -> encoder.apply(user));
    }

    Request changes(String attribute);

    /** Returns a request about the entry that is added, if it is made from a pattern. */
    Request adds(Request otherwise, BiFunction<String, List<byte[]>, byte[]> encoder);

    String value(String user);

    String rdn(String user);

    String dn(String user);

    String password(String user);

    /** The password that a change sets: the same one unless there is another. */
    default String newPassword(String user) {
      return password(user);
    }

    /** The name of the parent, with a comma before it. */
    String parent();
  }

  /** Users who differ by a number, or by lines of names. */
  private record NumberedUsers(Targets values, String people) implements Users {
    @Override
    public Request stamped(BiFunction<String, String, byte[]> encoder) {
      return new RequestTemplate(values.width(), encoder);
    }

    @Override
    public Request searches(String base) {
      return values.isPattern()
          ? each(n -> Pdu.equalitySearch(base, values.attribute(), values.value(n)))
          : new RequestList(values.lines().stream().map(line -> searchOf(line, base)).toList());
    }

    @Override
    public Request reads() {
      return values.isPattern()
          ? each(n -> Pdu.read(dn(n)))
          : new RequestList(values.lines().stream().map(line -> Pdu.read(nameOf(line))).toList());
    }

    /** Returns the search for a line of a file, which is a filter or a value. */
    private byte[] searchOf(String line, String base) {
      return line.startsWith("(")
          ? Pdu.filteredSearch(base, 2, Filters.encode(line))
          : Pdu.equalitySearch(base, values.attribute(), line);
    }

    /** Returns the DN for a line of a file, which is a DN or the value of an RDN. */
    private String nameOf(String line) {
      return line.indexOf('=') < 0 ? values.attribute() + "=" + line + parent() : line;
    }

    @Override
    public Request changes(String attribute) {
      return stamped((n, stamp) -> Pdu.replace(dn(n), attribute, stamp));
    }

    @Override
    public Request adds(Request otherwise, BiFunction<String, List<byte[]>, byte[]> encoder) {
      return otherwise;
    }

    @Override
    public String value(String user) {
      return values.value(user);
    }

    @Override
    public String rdn(String user) {
      return values.rdn(user);
    }

    @Override
    public String dn(String user) {
      return values.rdn(user) + parent();
    }

    @Override
    public String password(String user) {
      return UserPassword.passwordOf(user);
    }

    @Override
    public String parent() {
      return "," + people;
    }
  }

  /** Users of patterns, whose placeholders stand in the texts of requests as single characters. */
  private static final class PatternUsers implements Users {
    private final PatternRequest.Placeholders placeholders = new PatternRequest.Placeholders();
    private final Patterns patterns;
    private final Targets values;

    PatternUsers(Patterns patterns, Targets values) {
      this.patterns = patterns;
      this.values = values;
    }

    private String marked(TextPattern text) {
      return text.marked(placeholders);
    }

    @Override
    public Request stamped(BiFunction<String, String, byte[]> encoder) {
      return placeholders.request(encoder.apply(marked(Patterns.NUMBER), placeholders.stamp()));
    }

    @Override
    public Request searches(String base) {
      return placeholders.request(
          Pdu.search(
              marked(patterns.base()),
              element(patterns.scope(), Patterns::scope),
              filter(),
              attributes()));
    }

    private String[] attributes() {
      return patterns.attributes().stream().map(this::marked).toArray(String[]::new);
    }

    private byte[] filter() {
      TextPattern filter = patterns.filter();
      if (filter == null) {
        return Pdu.equality(values.attribute(), marked(patterns.value()));
      }
      Placeholder whole = filter.mapped(Filters::encode, true);
      return whole == null
          ? Filters.encode(marked(filter))
          : Pdu.element(Pdu.OCTET_STRING, Pdu.utf8(placeholders.mark(whole)));
    }

    /** The bytes of a text that is one of few, or a marker for them. */
    private byte[] element(TextPattern text, Function<String, byte[]> bytes) {
      Placeholder chosen = text.mapped(bytes, false);
      return chosen == null ? bytes.apply(text.text(0)) : Pdu.utf8(placeholders.mark(chosen));
    }

    @Override
    public Request reads() {
      return placeholders.request(Pdu.search(dn(""), new byte[] {0}, Pdu.anything(), attributes()));
    }

    @Override
    public Request changes(String attribute) {
      if (patterns.changes().isEmpty()) {
        return stamped((n, stamp) -> Pdu.replace(dn(n), attribute, stamp));
      }
      return placeholders.request(
          Pdu.modify(
              dn(""),
              patterns.changes().stream()
                  .map(c -> Pdu.change(c.operation(), c.line().name(), marked(c.line().value())))
                  .toArray(byte[][]::new)));
    }

    @Override
    public Request adds(Request otherwise, BiFunction<String, List<byte[]>, byte[]> encoder) {
      Patterns.Entry entry = patterns.entry();
      if (entry == null) {
        return otherwise;
      }
      Map<String, List<String>> attributes = new LinkedHashMap<>();
      for (Patterns.Line line : entry.attributes()) {
        attributes.computeIfAbsent(line.name(), _ -> new ArrayList<>()).add(marked(line.value()));
      }
      return placeholders.request(
          encoder.apply(
              marked(entry.dn()),
              attributes.entrySet().stream()
                  .map(a -> Pdu.attribute(a.getKey(), a.getValue().toArray(String[]::new)))
                  .toList()));
    }

    @Override
    public String value(String user) {
      return marked(patterns.value());
    }

    @Override
    public String rdn(String user) {
      return marked(patterns.dn().rdn());
    }

    @Override
    public String dn(String user) {
      return marked(patterns.dn());
    }

    @Override
    public String password(String user) {
      TextPattern password = patterns.password();
      return password == null ? "" : marked(password);
    }

    @Override
    public String newPassword(String user) {
      TextPattern password = patterns.newPassword();
      return password == null ? password(user) : marked(password);
    }

    @Override
    public String parent() {
      return marked(patterns.dn().parent());
    }
  }

  private static String dynamicName(String run, String client, String people) {
    return "uid=dynamic." + run + "." + client + "," + people;
  }

  private static byte[] addedDynamic(String run, String client, String people) {
    return Pdu.add(
        dynamicName(run, client, people),
        Pdu.attribute("objectClass", "inetOrgPerson", "dynamicObject"),
        Pdu.attribute("uid", "dynamic." + run + "." + client),
        Pdu.attribute("cn", "Load Tester " + client),
        Pdu.attribute("sn", "Tester"));
  }

  /**
   * A random name that keeps the entries of two tests apart, also of those that a killed test left
   * behind.
   */
  private static String runName() {
    return String.format(Locale.ROOT, "%08x", new SplittableRandom().nextInt());
  }

  private static String ownUid(String run, String client, String stamp) {
    return "load." + run + "." + client + "." + stamp;
  }

  /**
   * An entry like those of the people, but without the password, whose hashing is another matter.
   */
  private static byte[] added(String run, String client, String stamp, String people) {
    String uid = ownUid(run, client, stamp);
    return Pdu.add(
        "uid=" + uid + "," + people,
        Pdu.attribute("objectClass", "inetOrgPerson"),
        Pdu.attribute("uid", uid),
        Pdu.attribute("cn", "Load Tester " + client),
        Pdu.attribute("sn", "Tester"),
        Pdu.attribute("givenName", "Load"),
        Pdu.attribute("mail", uid + "@example.com"),
        Pdu.attribute("telephoneNumber", "+1 555 " + stamp),
        Pdu.attribute("title", "Tester"),
        Pdu.attribute("l", "Nowhere"),
        Pdu.attribute("employeeNumber", stamp),
        Pdu.attribute("description", "Added by a load test, to be deleted by it."));
  }
}
