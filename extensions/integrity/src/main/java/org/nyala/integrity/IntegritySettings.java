package org.nyala.integrity;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;
import org.nyala.extension.Section;

/**
 * The rules that entries keep together.
 *
 * <p>Immutable.
 *
 * @param uniqueness which attributes have no value twice
 * @param references the attributes whose values follow the entries that they name
 * @param memberOf the computation of memberOf; nothing where it is stored like others
 */
public record IntegritySettings(
    List<Unique> uniqueness, References references, Optional<MemberOf> memberOf) {
  static final String UNIQUENESS = "nyala.uniqueness";
  static final String REFERENCES = "nyala.referentialIntegrity";
  static final String MEMBER_OF = "nyala.memberOf";

  public IntegritySettings {
    uniqueness = List.copyOf(uniqueness);
  }

  /** The fate of the last value of a mandatory attribute whose entry is deleted. */
  public enum LastValue {
    /** A placeholder takes its place. */
    PLACEHOLDER,
    /** The delete is refused. */
    REFUSE,
    /** It stays. */
    KEEP
  }

  /**
   * Attributes without equal values.
   *
   * @param attributes their names, each by itself
   * @param base the entries at and below this DN; nothing for all
   * @param filter the entries that match this; nothing for all
   */
  public record Unique(
      @Key List<String> attributes, @Key Optional<String> base, @Key Optional<String> filter) {
    private static Unique read(Section section) {
      Unique unique = Keys.read(Unique.class, section);
      if (unique.attributes().isEmpty()) {
        throw section.problem("attributes", "expected a list of at least one attribute");
      }
      return unique;
    }
  }

  /**
   * The rules for values that name entries.
   *
   * @param attributes the attributes whose values follow the entries that they name
   * @param lastValue the fate of the last value of an attribute that must have one
   * @param emptyPlaceholder the DN that takes the place of that value, if one does; by default one
   *     that Keycloak takes for no member
   * @param fillsOptional whether it takes that of the last value of optional attributes, too
   * @param referencesPerChange how many values may follow one change
   * @param followsMissing whether values that name no entry follow the rename of a subtree
   */
  public record References(
      @Key List<String> attributes,
      @Key LastValue lastValue,
      @Key(text = "cn=empty-membership-placeholder") String emptyPlaceholder,
      boolean fillsOptional,
      @Key(usual = 100_000, from = 1) int referencesPerChange,
      @Key(name = "followMissing") boolean followsMissing) {
    private static References read(Section section) {
      String filled = section.word("placeholderFor", "required", List.of("required", "all"));
      boolean fillsAll = filled.equals("all");
      References read = Keys.read(References.class, section, Map.of("fillsOptional", fillsAll));
      boolean isFilled = read.lastValue() == LastValue.PLACEHOLDER;
      if (!isFilled && section.has("emptyPlaceholder")) {
        throw section.problem(
            "emptyPlaceholder",
            "is never used with lastValue = " + read.lastValue().name().toLowerCase(Locale.ROOT));
      }
      if (!isFilled && fillsAll) {
        throw section.problem("placeholderFor", "all needs lastValue = placeholder beside it");
      }
      return read;
    }
  }

  /**
   * The computation of memberOf.
   *
   * @param groupAttributes the attributes that name members
   * @param nested whether members of groups in a group are members of it
   * @param groups how many groups one answer may take into account
   */
  public record MemberOf(
      List<String> groupAttributes,
      @Key boolean nested,
      @Key(usual = 10_000, from = 1) int groups) {
    private static Optional<MemberOf> read(Section section) {
      List<String> attributes = section.texts("groupAttributes", List.of("member", "uniqueMember"));
      if (attributes.isEmpty()) {
        throw section.problem("groupAttributes", "expected at least one attribute");
      }
      MemberOf read = Keys.read(MemberOf.class, section, Map.of("groupAttributes", attributes));
      return section.bool("enabled", false) ? Optional.of(read) : Optional.empty();
    }
  }

  /** Reads the objects of the configuration. */
  public static IntegritySettings read(
      List<? extends Section> uniqueness, Section references, Section memberOf) {
    return new IntegritySettings(
        uniqueness.stream().map(Unique::read).toList(),
        References.read(references),
        MemberOf.read(memberOf));
  }

  /** Returns the attributes that need an equality index, by the keys that name them. */
  public Map<String, List<String>> equalityIndexes() {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put(UNIQUENESS, uniqueness.stream().flatMap(each -> each.attributes().stream()).toList());
    all.put(REFERENCES + ".attributes", references.attributes());
    all.put(
        MEMBER_OF + ".groupAttributes", memberOf.map(MemberOf::groupAttributes).orElse(List.of()));
    return all;
  }
}
