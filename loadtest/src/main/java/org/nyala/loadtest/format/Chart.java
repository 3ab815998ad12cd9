package org.nyala.loadtest.format;

/** A picture of figures, as inline SVG that takes its colours from the page. */
public interface Chart {
  /** The picture; empty if there is nothing to show. */
  String svg();
}
