package org.nyala.migrate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.nyala.config.OfferedExtension;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.core.slapd.SlapdSection;
import org.nyala.error.CommandException;
import org.nyala.extension.OverlayTranslator;

/**
 * The overlays that extensions translate.
 *
 * <p>Confined to one running operation.
 */
final class ExtensionOverlays {
  private final Map<String, Offered> translators = new LinkedHashMap<>();

  /** A translator and its extension. Immutable. */
  private record Offered(OfferedExtension extension, OverlayTranslator translator) {}

  /**
   * Asks the extensions of an installation what they translate.
   *
   * @param base the folder of the installation
   * @throws CommandException if one fails
   */
  ExtensionOverlays(Path base) {
    for (OfferedExtension extension : OfferedExtension.in(base)) {
      for (OverlayTranslator each : guarded(extension, extension.source()::migrates)) {
        String overlay = guarded(extension, each::overlay);
        translators.putIfAbsent(overlay, new Offered(extension, each));
      }
    }
  }

  private static <T> T guarded(OfferedExtension extension, Supplier<T> call) {
    try {
      return extension.guarded(call);
    } catch (IllegalArgumentException e) {
      throw CommandException.failed(String.valueOf(e.getMessage()));
    }
  }

  /** Returns whether an extension translates an overlay. */
  boolean translates(String overlay) {
    return translators.containsKey(overlay);
  }

  /** Translates all of them; returns the attributes that need an index for equality. */
  Set<String> translate(Translation translation) {
    Set<String> needed = new LinkedHashSet<>();
    translators.forEach(
        (overlay, offered) -> {
          List<Line> lines = lines(translation, overlay);
          Target target = new Target(translation, offered.extension.name(), overlay, needed);
          guarded(
              offered.extension,
              () -> {
                offered.translator.translate(lines, target);
                return needed;
              });
        });
    return needed;
  }

  private static List<Line> lines(Translation translation, String overlay) {
    List<Line> lines = new ArrayList<>();
    add(translation.global(), overlay, List.of(), lines);
    boolean isOnly = translation.suffixes().size() == 1;
    for (SlapdDatabase store : translation.stores()) {
      add(store, overlay, isOnly ? List.of() : store.suffixes(), lines);
    }
    return lines;
  }

  private static void add(
      SlapdDatabase database, String overlay, List<String> suffixes, List<Line> lines) {
    for (SlapdSection each : Translation.overlays(database, overlay)) {
      each.directives().forEach(directive -> lines.add(new Line(directive, suffixes)));
    }
  }

  /** A line as an extension sees it. Immutable. */
  private record Line(SlapdDirective directive, List<String> suffixes)
      implements OverlayTranslator.Line {
    @Override
    public String name() {
      return directive.name();
    }

    @Override
    public List<String> words() {
      return directive.words();
    }
  }

  /** The draft and the notes as an extension sees them. Confined to one running operation. */
  private record Target(
      Translation translation, String extension, String overlay, Set<String> needed)
      implements OverlayTranslator.Result {
    @Override
    public void set(String key, Object value) {
      translation.set(extension + '.' + key, ConfigurationDraft.value(value), "overlay " + overlay);
    }

    @Override
    public void needsEquality(String attribute) {
      needed.add(attribute);
    }

    @Override
    public void translated(OverlayTranslator.Line line, String text) {
      translation.translated(((Line) line).directive, text);
    }

    @Override
    public void missing(OverlayTranslator.Line line, String loss) {
      translation.missing(((Line) line).directive, loss);
    }
  }
}
