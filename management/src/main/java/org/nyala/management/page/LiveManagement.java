package org.nyala.management.page;

import org.nyala.management.bean.LiveMXBean;

/**
 * The live page as JMX shows it.
 *
 * <p>Immutable; the page is thread-safe.
 *
 * @param page the page, which looks
 */
public record LiveManagement(LivePage page) implements LiveMXBean {
  @Override
  public String look() {
    return page.look().json();
  }
}
