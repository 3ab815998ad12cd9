package org.nyala.config;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;
import org.nyala.core.message.FilterNode;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.sasl.GssapiAcceptor;
import org.nyala.core.sasl.GssapiSettings;
import org.nyala.core.sasl.NamePattern;
import org.nyala.core.sasl.NameRule;
import org.nyala.core.sasl.NameSalts;
import org.nyala.core.sasl.NameSource;
import org.nyala.core.sasl.Protection;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.sasl.SaslSettings;
import org.nyala.error.ErrorMessages;

/** Reads the configuration of SASL. Stateless. */
final class SaslConfiguration {
  /** The keys of a user are looked at when the exchange begins. */
  private static final int TIMEOUT_MAXIMUM = 300;

  private static final String MECHANISMS = "mechanisms";

  /** A search as slapd writes it (slapd.conf(5), {@code authz-regexp}). */
  private static final Pattern SEARCH =
      Pattern.compile("ldap:///([^?]*)\\?\\?(sub|one)?\\?(.+)", Pattern.CASE_INSENSITIVE);

  private static final List<String> ALL =
      EnumSet.allOf(SaslMechanism.class).stream().map(SaslMechanism::label).toList();

  private static final String LAYERS = "layers";
  private static final List<String> LAYER_LABELS =
      Stream.of(Protection.values()).map(Protection::label).toList();

  private SaslConfiguration() {}

  /** Reads it from its section. */
  static SaslSettings read(ConfigSection section) {
    SaslSettings d = SaslSettings.DEFAULT;
    Set<SaslMechanism> mechanisms = EnumSet.noneOf(SaslMechanism.class);
    for (String label : section.texts(MECHANISMS, ALL)) {
      mechanisms.add(mechanism(section, MECHANISMS, label));
    }
    List<NameRule> rules = new ArrayList<>();
    for (ConfigSection rule : section.sections("map")) {
      rules.add(rule(rule));
      rule.rejectUnknownKeys();
    }
    return new SaslSettings(
        mechanisms,
        withDefault(rules),
        section.integer("timeoutSeconds", d.timeoutSeconds(), 1, TIMEOUT_MAXIMUM),
        section.integer("lookThroughLimit", d.lookThroughLimit(), 1, Key.MANY),
        section.integer(
            "decoyIterations", d.decoyIterations(), ScramKeys.ITERATIONS_MINIMUM, Key.MANY),
        section.password("secret").map(secret -> salts(section, secret)).orElse(null),
        gssapi(section.section("gssapi")));
  }

  /** Returns rules with the one by {@code uid} for the mechanisms of which none of them is. */
  private static List<NameRule> withDefault(List<NameRule> rules) {
    Set<SaslMechanism> without = EnumSet.copyOf(SaslMechanism.ofTypedNames());
    rules.forEach(rule -> without.removeAll(rule.mechanisms()));
    List<NameRule> all = new ArrayList<>(rules);
    if (!without.isEmpty()) {
      all.add(SaslSettings.byUid(without));
    }
    return all;
  }

  private static NameSalts salts(ConfigSection section, String secret) {
    try {
      return NameSalts.of(secret);
    } catch (IllegalArgumentException e) {
      throw section.problem("secret", ErrorMessages.line(e));
    }
  }

  private static SaslMechanism mechanism(ConfigSection section, String key, String label) {
    SaslMechanism mechanism = SaslMechanism.of(label);
    if (mechanism == null) {
      throw section.problem(
          key, "expected one of " + String.join(", ", ALL) + ", found '" + label + "'");
    }
    return mechanism;
  }

  private static NameRule rule(ConfigSection rule) {
    Set<SaslMechanism> mechanisms = SaslMechanism.ofTypedNames();
    Optional<String> named = rule.text("mechanism");
    if (named.isPresent()) {
      SaslMechanism mechanism = mechanism(rule, "mechanism", named.get());
      mechanisms = EnumSet.of(mechanism, mechanism.bound());
    }
    Optional<String> dn = rule.text("dn");
    Optional<String> search = rule.text("search");
    if (dn.isPresent() == search.isPresent()) {
      throw rule.problem("match", "expected either dn or search beside it");
    }
    NamePattern pattern = pattern(rule);
    NameSource source = source(rule, mechanisms);
    try {
      NameRule read =
          dn.isPresent()
              ? NameRule.naming(mechanisms, pattern, dn.get())
              : searching(mechanisms, pattern, search.orElseThrow());
      return source == NameSource.SUBJECT ? read : read.in(source);
    } catch (IllegalArgumentException e) {
      throw rule.problem(dn.isPresent() ? "dn" : "search", ErrorMessages.line(e));
    }
  }

  private static NameSource source(ConfigSection rule, Set<SaslMechanism> mechanisms) {
    String label = rule.text("source", NameSource.SUBJECT.label());
    NameSource source = NameSource.of(label);
    if (source == null) {
      List<String> all = Arrays.stream(NameSource.values()).map(NameSource::label).toList();
      throw rule.problem(
          "source", "expected one of " + String.join(", ", all) + ", found '" + label + "'");
    }
    if (source != NameSource.SUBJECT && !mechanisms.equals(Set.of(SaslMechanism.EXTERNAL))) {
      throw rule.problem("source", "only mechanism = EXTERNAL has certificates");
    }
    return source;
  }

  private static NamePattern pattern(ConfigSection rule) {
    try {
      return new NamePattern(rule.text("match", "(.+)"));
    } catch (IllegalArgumentException e) {
      throw rule.problem("match", ErrorMessages.line(e));
    }
  }

  private static NameRule searching(
      Set<SaslMechanism> mechanisms, NamePattern pattern, String url) {
    Matcher parts = SEARCH.matcher(url);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "expected ldap:///BASE??sub?FILTER or ldap:///BASE??one?FILTER, found '" + url + "'");
    }
    if (parts.group(1).indexOf('$') >= 0) {
      throw new IllegalArgumentException("expected a base without $: it is the same for all");
    }
    NameRule rule =
        NameRule.searching(
            mechanisms,
            pattern,
            URLDecoder.decode(parts.group(1).replace("+", "%2B"), StandardCharsets.UTF_8),
            "one".equalsIgnoreCase(parts.group(2)),
            parts.group(3));
    FilterNode _ = FilterParser.parse(rule.example().filter());
    return rule;
  }

  /**
   * Reads it from its section, and the keytab.
   *
   * @return null if there is no keytab
   */
  private static @Nullable GssapiAcceptor gssapi(ConfigSection section) {
    GssapiSettings read =
        Keys.read(GssapiSettings.class, section, Map.of("protections", layers(section)));
    section.rejectUnknownKeys();
    if (!section.has("keytab")) {
      return null;
    }
    try {
      return GssapiAcceptor.open(read);
    } catch (IOException e) {
      throw section.problem("keytab", ErrorMessages.reason(e));
    }
  }

  private static Set<Protection> layers(ConfigSection section) {
    List<Protection> layers = new ArrayList<>();
    for (String label : section.texts(LAYERS, LAYER_LABELS)) {
      Protection layer = Protection.of(label);
      if (layer == null) {
        throw section.problem(
            LAYERS,
            "expected one of " + String.join(", ", LAYER_LABELS) + ", found '" + label + "'");
      }
      layers.add(layer);
    }
    if (layers.isEmpty()) {
      throw section.problem(LAYERS, "expected at least one of " + String.join(", ", LAYER_LABELS));
    }
    return EnumSet.copyOf(layers);
  }
}
