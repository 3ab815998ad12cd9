package org.nyala.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.core.slapd.SlapdSection;

/**
 * The overlays that keep something true of entries together: {@code memberof}, {@code refint} and
 * {@code unique}.
 *
 * <p>Confined to one running operation.
 */
final class IntegrityOverlays {
  private static final String UNIQUE = "unique";

  /** The overlays that are translated. */
  static final Set<String> KINDS = Set.of("memberof", "refint", UNIQUE);

  private static final String MEMBER = "member";
  private static final String REFERENCES = "referentialIntegrity.attributes";
  private static final String LOCAL = "ldap:///";
  private static final int URI_PARTS = 4;

  private final Translation translation;
  private final Set<String> groupAttributes = new LinkedHashSet<>();
  private final Set<String> references = new LinkedHashSet<>();
  private final Set<String> needed = new LinkedHashSet<>();
  private final List<Map<String, Object>> unique = new ArrayList<>();
  private boolean fillsLast;

  private IntegrityOverlays(Translation translation) {
    this.translation = translation;
  }

  /** Translates them; returns the attributes that need an index for equality. */
  static Set<String> translate(Translation translation) {
    IntegrityOverlays overlays = new IntegrityOverlays(translation);
    translation.overlays("memberof").forEach(overlays::memberOf);
    translation.overlays("refint").forEach(overlays::references);
    for (SlapdSection each : Translation.overlays(translation.global(), UNIQUE)) {
      overlays.unique(each, null);
    }
    for (SlapdDatabase store : translation.stores()) {
      Translation.overlays(store, UNIQUE).forEach(each -> overlays.unique(each, store));
    }
    overlays.write();
    return overlays.needed;
  }

  private void memberOf(SlapdSection overlay) {
    String member = overlay.directive("memberofmemberad").map(SlapdDirective::value).orElse(MEMBER);
    groupAttributes.add(member);
    overlay
        .directive("memberofmemberad")
        .ifPresent(each -> translation.translated(each, "memberOf.groupAttributes"));
    overlay
        .directive("memberofgroupoc")
        .filter(each -> !each.value().equalsIgnoreCase("groupOfNames"))
        .ifPresent(
            each ->
                translation.different(
                    each, "entries of every class with " + member + " count as groups"));
    overlay
        .directive("memberofmemberofad")
        .filter(each -> !isMemberOf(each.value()))
        .ifPresent(
            each ->
                translation.missing(
                    each, "groups are shown in memberOf, never in " + each.value()));
    overlay
        .directive("memberofdangling")
        .filter(each -> !each.value().equalsIgnoreCase("ignore"))
        .ifPresent(each -> translation.missing(each, "groups may name members that do not exist"));
    overlay
        .directive("memberofrefint")
        .filter(SlapdDirective::isOn)
        .ifPresent(
            each -> {
              references.add(member);
              translation.translated(each, REFERENCES);
            });
    translation.different(
        overlay,
        "memberOf.enabled: computed from the groups, returned by name and with +, and"
            + " counted in all naming contexts; imported values are not used");
  }

  private void references(SlapdSection overlay) {
    for (SlapdDirective each : overlay.directives("refintattributes")) {
      // Computed, or kept by slapd: no user writes its values.
      List<String> written = each.words().stream().filter(word -> !isMemberOf(word)).toList();
      references.addAll(written);
      if (written.isEmpty()) {
        translation.needless(each, "memberOf is kept by the server");
      } else {
        translation.translated(each, REFERENCES + ": " + String.join(", ", written));
      }
    }
    overlay
        .directive("refintnothing")
        .ifPresent(
            each -> {
              translation.set(
                  each,
                  "referentialIntegrity.emptyPlaceholder",
                  ConfigurationDraft.text(each.value()));
              translation.set(each, "referentialIntegrity.placeholderFor", "all");
            });
    if (overlay.directive("refintnothing").isPresent()) {
      fillsLast = true;
    }
    overlay
        .directive("refintmodifiersname")
        .ifPresent(
            each -> translation.missing(each, "modifiersName is the author of the change itself"));
    translation.different(
        overlay, REFERENCES + ": part of the commit of the change itself, in all naming contexts");
  }

  private static boolean isMemberOf(String attribute) {
    return attribute.equalsIgnoreCase("memberOf");
  }

  private void unique(SlapdSection overlay, @Nullable SlapdDatabase store) {
    for (SlapdDirective each : overlay.directives()) {
      switch (each.name()) {
        case "uniqueuri" -> uris(each, store);
        case "uniqueattributes" -> {
          String base = overlay.directive("uniquebase").map(SlapdDirective::value).orElse("");
          add(each, each.words(), base, "", store);
        }
        case "uniquebase" -> translation.needless(each, "part of uniqueness");
        case "uniquestrict" -> translation.needless(each, "values are never empty");
        default -> translation.missing(each, "no value is unique by this line");
      }
    }
  }

  private void uris(SlapdDirective directive, @Nullable SlapdDatabase store) {
    boolean isIgnoring = false;
    int urls = 0;
    // In slapd.conf, quotes hold the keywords and all URLs of a line together.
    for (String word : String.join(" ", directive.words()).strip().split("\\s+", -1)) {
      isIgnoring |= word.equalsIgnoreCase("ignore");
      if (isLocal(word)) {
        urls++;
        if (isIgnoring) {
          translation.missing(directive, "no value is unique by a list of attributes to ignore");
        } else {
          uri(directive, word.substring(LOCAL.length()), store);
        }
      }
    }
    if (urls == 0) {
      translation.missing(directive, "no URL of this server: no value is unique");
    } else if (urls > 1 && !isIgnoring) {
      translation.different(directive, "counted for each URL by itself");
    }
  }

  /** Returns whether an URL is one of this server. */
  static boolean isLocal(String url) {
    return url.regionMatches(true, 0, LOCAL, 0, LOCAL.length());
  }

  private void uri(SlapdDirective directive, String uri, @Nullable SlapdDatabase store) {
    String[] parts = uri.split("\\?", URI_PARTS);
    String base;
    String filter;
    try {
      base = decoded(parts[0]);
      filter = parts.length > 3 ? decoded(parts[3]) : "";
    } catch (IllegalArgumentException e) {
      translation.missing(directive, "an URL with a wrong escape: no value is unique");
      return;
    }
    String attributes = parts.length > 1 ? parts[1] : "";
    String scope = parts.length > 2 ? parts[2] : "";
    if (attributes.isEmpty()) {
      translation.missing(directive, "name the attributes that are to be unique");
      return;
    }
    if (!scope.isEmpty() && !scope.startsWith("sub")) {
      translation.different(directive, "counted at and below the base, not only in scope " + scope);
    }
    add(directive, List.of(attributes.split(",", -1)), base, filter, store);
  }

  /**
   * Returns a part of a URL as it is meant.
   *
   * @throws IllegalArgumentException if an escape is wrong
   */
  private static String decoded(String text) {
    // A plus stands for itself in the URLs of LDAP.
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }

  private void add(
      SlapdDirective directive,
      List<String> attributes,
      String base,
      String filter,
      @Nullable SlapdDatabase store) {
    boolean isOfAll = !base.isEmpty() || store == null || translation.stores().size() == 1;
    List<String> bases = isOfAll || store == null ? List.of(base) : store.suffixes();
    bases.forEach(each -> add(attributes, each, filter));
    if (bases.size() > 1) {
      translation.different(directive, "counted below each suffix by itself");
    }
    needed.addAll(attributes);
    translation.translated(directive, "uniqueness: " + String.join(", ", attributes));
  }

  private void add(List<String> attributes, String base, String filter) {
    Map<String, Object> rule = new LinkedHashMap<>();
    rule.put("attributes", attributes);
    if (!base.isEmpty()) {
      rule.put("base", base);
    }
    if (!filter.isEmpty()) {
      rule.put("filter", filter.startsWith("(") ? filter : '(' + filter + ')');
    }
    if (!unique.contains(rule)) {
      unique.add(rule);
    }
  }

  private void write() {
    ConfigurationDraft draft = translation.draft();
    if (!groupAttributes.isEmpty()) {
      draft.set("memberOf.enabled", "true", "overlay memberof");
      draft.set("memberOf.groupAttributes", ConfigurationDraft.list(groupAttributes), null);
    }
    if (!references.isEmpty()) {
      draft.set(REFERENCES, ConfigurationDraft.list(references), "overlay refint");
      draft.set("referentialIntegrity.followMissing", "true", null);
      if (!fillsLast) {
        draft.set(
            "referentialIntegrity.lastValue",
            "keep",
            "overlay refint without refint_nothing; placeholder is safer: a later account of the"
                + " same name inherits no group");
      }
    }
    if (!unique.isEmpty()) {
      draft.set("uniqueness", ConfigurationDraft.value(unique), "overlay unique");
    }
    needed.addAll(groupAttributes);
    needed.addAll(references);
  }
}
