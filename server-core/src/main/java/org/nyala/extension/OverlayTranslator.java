package org.nyala.extension;

import java.util.List;

/**
 * Translates the lines of an overlay of slapd into keys of the extension, for {@code nyala
 * migrate}.
 *
 * <p>Immutable.
 */
public interface OverlayTranslator {
  /** Returns slapd's name of the overlay, in small letters. */
  String overlay();

  /**
   * Translates the lines of all overlays with the name, in the order of slapd's configuration. A
   * line without a result is reported as one that has no counterpart.
   */
  void translate(List<? extends Line> lines, Result result);

  /** A line of slapd's configuration. Immutable; made by the server only. */
  interface Line {
    /** Returns the directive, in small letters without {@code olc} and underscores. */
    String name();

    /** Returns the words after it, without quotes. */
    List<String> words();

    /** Returns the suffixes of the entries that it is about; none if it is about all entries. */
    List<String> suffixes();
  }

  /** The configuration under way. Confined to one running operation; made by the server only. */
  interface Result {
    /**
     * Sets a key of the extension.
     *
     * @param value a text, a number, true or false, or lists and maps of such
     */
    void set(String key, Object value);

    /** Adds an equality index for an attribute. */
    void needsEquality(String attribute);

    /** Notes what a line has become. */
    void translated(Line line, String text);

    /** Notes that a line has no counterpart, and what its loss means. */
    void missing(Line line, String loss);
  }
}
