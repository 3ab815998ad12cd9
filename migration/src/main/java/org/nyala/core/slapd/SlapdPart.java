package org.nyala.core.slapd;

import org.nyala.core.access.rule.Source;

/** A directive, or the beginning of a section, which remarks are about. */
public sealed interface SlapdPart permits SlapdDirective, SlapdSection {
  /** Returns the place at which it begins. */
  Source source();

  /** Returns its name as the configuration has it: {@code olcSizeLimit}, {@code overlay unique}. */
  String writtenName();
}
