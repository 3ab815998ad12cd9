package org.nyala.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.config.AccountConfiguration;
import org.nyala.config.NyalaConfig;
import org.nyala.core.access.PolicyRule;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.UnverifiableHash;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.management.bean.FindingsMXBean.Weight;

/**
 * The examination of all entries for passwords that nobody can use, and for password policies
 * without effect. It ends after a time, so that it holds no pages of the store for long.
 *
 * <p>Confined to one thread. Its memory does not grow with the data.
 */
final class EntryExamination {
  static final String PASSWORDS = "passwords";
  private static final String POLICIES = "password policies";
  private static final String DEFAULT_KEY = "passwordPolicy.default";
  private static final String RULES_KEY = "passwordPolicy.rules";

  /** The most names that are remembered of policies, and of those that entries name. */
  private static final int MOST_NAMES = 1000;

  /** The entries between two looks at the clock. */
  private static final int ENTRIES_PER_LOOK = 256;

  /** The entries of a kind of password whose names are listed. */
  private static final int SHOWN = 3;

  private static final String SET_PASSWORD = "ldappasswd -D ROOT -W -S 'ACCOUNT'";

  private final LmdbBackend backend;
  private final Schema schema;
  private final NyalaConfig configuration;
  private final FindingList findings;
  private final Map<String, Seen> unusable = new LinkedHashMap<>();
  private final Map<String, Seen> costly = new LinkedHashMap<>();
  private final Set<Dn> policies = new LinkedHashSet<>();
  private final Set<Dn> named = new LinkedHashSet<>();
  private boolean areNamesCut;

  /** Some entries, counted, with the names of the first. */
  private static final class Seen {
    private final List<String> first = new ArrayList<>();
    private long count;

    private void add(Dn name) {
      if (count++ < SHOWN) {
        first.add(name.toString());
      }
    }

    private String text() {
      return String.join("; ", first) + (count > SHOWN ? "; and " + (count - SHOWN) + " more" : "");
    }
  }

  EntryExamination(LmdbBackend backend, NyalaConfig configuration, FindingList findings) {
    this.backend = backend;
    this.schema = backend.extendedSchema().schema();
    this.configuration = configuration;
    this.findings = findings;
  }

  /**
   * Examines the entries.
   *
   * @param nanoClock measures the time
   * @param limitNanos the longest time
   */
  void run(LongSupplier nanoClock, long limitNanos) {
    try (ReadTransaction read = backend.beginRead()) {
      Set<Dn> configured = configured(read);
      findings.looked(POLICIES);
      findings.looked(PASSWORDS);
      long endNanos = nanoClock.getAsLong() + limitNanos;
      long examined = examine(read, nanoClock, endNanos);
      if (examined < 0) {
        tellPolicies(read, configured);
      } else {
        String all = "all " + backend.status().entries() + " entries";
        String unknown = "the time was over after " + examined + " of " + all;
        findings.add(Weight.UNKNOWN, PASSWORDS, unknown, "nyala doctor --seconds 600");
        findings.add(Weight.UNKNOWN, POLICIES, unknown, "nyala doctor --seconds 600");
      }
    }
    tellPasswords();
  }

  /** Returns the policies that the configuration names; reports those that are none. */
  private Set<Dn> configured(ReadTransaction read) {
    PolicySettings settings = AccountConfiguration.access(configuration, schema).passwordPolicy();
    Set<Dn> configured = new LinkedHashSet<>();
    Dn byDefault = settings.byDefault();
    if (byDefault != null) {
      configured.add(byDefault);
      lookAtConfigured(DEFAULT_KEY, byDefault, read);
    }
    for (PolicyRule rule : settings.rules()) {
      if (configured.add(rule.policy())) {
        lookAtConfigured(RULES_KEY, rule.policy(), read);
      }
    }
    return configured;
  }

  private void lookAtConfigured(String key, Dn policy, ReadTransaction read) {
    // Another store of the same server may have it, and this program serves one.
    if (!PolicyReader.isPolicy(policy, read)) {
      findings.add(
          Weight.WARNING,
          POLICIES,
          key
              + " names "
              + policy
              + ", which is no password policy: accounts that need it have"
              + " none",
          "nyala config show --changed");
    }
  }

  /** Returns -1, or the number of entries after which the time was over. */
  private long examine(ReadTransaction read, LongSupplier nanoClock, long endNanos) {
    int size = read.attributes().size() + 1;
    boolean[] passwords = new boolean[size];
    boolean[] names = new boolean[size];
    boolean[] ofPolicies = new boolean[size];
    for (int id = 1; id < size; id++) {
      List<String> known = read.attributes().description(id).type().names();
      passwords[id] = known.contains("userPassword");
      names[id] = known.contains(PolicyReader.NAMES_POLICY);
      ofPolicies[id] = known.contains("pwdAttribute");
    }
    SearchSpec all =
        new SearchSpec(
            ReadTransaction.NO_ENTRY, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
    EntryView view = new EntryView();
    long examined = 0;
    try (EntryCursor cursor = read.search(all, 0)) {
      while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
        for (int i = 0; i < view.attributeCount(); i++) {
          int id = view.attributeId(i);
          if (passwords[id]) {
            lookAtPasswords(view, i);
          } else if (names[id]) {
            lookAtName(view, i);
          } else if (ofPolicies[id]) {
            remember(policies, name(view));
          }
        }
        if (++examined % ENTRIES_PER_LOOK == 0 && nanoClock.getAsLong() - endNanos >= 0) {
          return examined;
        }
      }
    }
    return -1;
  }

  private void lookAtPasswords(EntryView view, int attribute) {
    HashBounds bounds = configuration.updates().hashBounds();
    ValueCursor values = new ValueCursor().open(view, attribute);
    while (!view.isApart(attribute) && values.next()) {
      byte[] stored = values.value();
      String excess = bounds.excess(stored);
      String scheme = excess == null ? UnverifiableHash.scheme(stored) : null;
      if (excess != null) {
        note(costly, excess, view);
      } else if (scheme != null) {
        note(unusable, scheme, view);
      }
    }
  }

  /** The names of schemes are those that clients have stored, so that they are bounded. */
  private void note(Map<String, Seen> kinds, String kind, EntryView view) {
    String known = kinds.size() < FindingList.MOST || kinds.containsKey(kind) ? kind : "{...}";
    kinds.computeIfAbsent(known, _ -> new Seen()).add(name(view));
  }

  private void lookAtName(EntryView view, int attribute) {
    ValueCursor values = new ValueCursor().open(view, attribute);
    if (!view.isApart(attribute) && values.next()) {
      Dn policy = parsed(values.value());
      if (policy != null) {
        remember(named, policy);
      }
    }
  }

  private void remember(Set<Dn> names, Dn name) {
    if (names.size() < MOST_NAMES) {
      names.add(name);
    } else {
      areNamesCut |= !names.contains(name);
    }
  }

  private @Nullable Dn parsed(byte[] value) {
    try {
      return DnParser.parse(schema, new String(value, UTF_8));
    } catch (InvalidDnException _) {
      return null;
    }
  }

  private Dn name(EntryView view) {
    return DnParser.parseStored(schema, view.dn());
  }

  private void tellPolicies(ReadTransaction read, Set<Dn> configured) {
    for (Dn each : named) {
      if (!PolicyReader.isPolicy(each, read)) {
        findings.add(
            Weight.WARNING,
            POLICIES,
            "entries name "
                + each
                + " in "
                + PolicyReader.NAMES_POLICY
                + ", which is no password"
                + " policy",
            "nyala export --filter "
                + FileExamination.Shell.quoted(
                    "(" + PolicyReader.NAMES_POLICY + "=" + literal(each) + ")"));
      }
    }
    if (areNamesCut) {
      findings.add(
          Weight.UNKNOWN,
          POLICIES,
          "there are more than " + MOST_NAMES + " policies, or names of them",
          "");
      return;
    }
    for (Dn each : policies) {
      if (!named.contains(each) && !configured.contains(each)) {
        findings.add(
            Weight.ADVICE,
            POLICIES,
            "the policy "
                + each
                + " applies to nobody: no entry names it, nor does "
                + DEFAULT_KEY
                + " or "
                + RULES_KEY,
            "");
      }
    }
  }

  /** Returns a name as a value in a filter (RFC 4515, section 3). */
  private static String literal(Dn name) {
    return name.toString()
        .replace("\\", "\\5c")
        .replace("*", "\\2a")
        .replace("(", "\\28")
        .replace(")", "\\29");
  }

  private void tellPasswords() {
    unusable.forEach(
        (scheme, seen) ->
            findings.add(
                Weight.WARNING,
                PASSWORDS,
                String.format(
                    Locale.ROOT,
                    "%d stored passwords in %s match no password: %s",
                    seen.count,
                    scheme,
                    seen.text()),
                SET_PASSWORD));
    costly.forEach(
        (excess, seen) ->
            findings.add(
                Weight.WARNING,
                PASSWORDS,
                String.format(
                    Locale.ROOT,
                    "%d stored passwords match no password, as they take %s: %s",
                    seen.count,
                    excess,
                    seen.text()),
                SET_PASSWORD));
  }
}
